package disktest

import (
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
)

// File is an open file that is not a database.
type File struct {
	disk *Disk
	node *node
	name string
}

// OpenFile opens a file, making it if it does not exist.
func (d *Disk) OpenFile(name string) (*File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, err := d.open(name, true)
	if err != nil {
		return nil, err
	}
	return &File{disk: d, node: n, name: name}, nil
}

// open returns the node of a file. d.mu is held.
func (d *Disk) open(name string, create bool) (*node, error) {
	if d.cut != "" {
		return nil, ErrCut
	}
	in, err := d.folder(name)
	if err != nil {
		return nil, err
	}
	n := in.names[path.Base(name)]
	if n == nil {
		if !create {
			return nil, fs.ErrNotExist
		}
		n = &node{}
		return n, d.rename("create", in, name, "", n)
	}
	return n, nil
}

// ReadAt implements [io.ReaderAt].
func (f *File) ReadAt(b []byte, at int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	return f.disk.read(f.node, b, at)
}

// read reads through the cache. d.mu is held.
func (d *Disk) read(n *node, b []byte, at int64) (int, error) {
	if d.cut != "" {
		return 0, ErrCut
	}
	if at >= int64(len(n.data)) {
		return 0, io.EOF
	}
	read := copy(b, n.data[at:])
	if read < len(b) {
		return read, io.EOF
	}
	return read, nil
}

// WriteAt implements [io.WriterAt].
func (f *File) WriteAt(b []byte, at int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.disk.write(f.name, f.node, b, at); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Size returns how long the file is.
func (f *File) Size() (int64, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.disk.cut != "" {
		return 0, ErrCut
	}
	return int64(len(f.node.data)), nil
}

// Sync makes the content of the file durable, and not its name.
func (f *File) Sync() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	return f.disk.sync(f.name, f.node)
}

// Close implements [io.Closer].
func (*File) Close() error { return nil }

// SyncFolder makes the names in a folder durable, as a sync of an opened folder does.
func (d *Disk) SyncFolder(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.syncFolder(name)
}

// MakeFolder makes a folder in one that exists; an existing one is no error.
func (d *Disk) MakeFolder(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.find(name) != nil {
		return nil
	}
	in, err := d.folder(name)
	if err != nil {
		return err
	}
	return d.rename("make folder", in, name, "", newFolder())
}

// Write makes a file with this content, or replaces its content.
func (d *Disk) Write(name string, content []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, err := d.open(name, true)
	if err != nil {
		return err
	}
	if len(n.data) > 0 {
		if err := d.truncate(name, n, 0); err != nil {
			return err
		}
	}
	return d.write(name, n, content, 0)
}

// Sync makes the content of a file durable, and not its name.
func (d *Disk) Sync(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, err := d.open(name, false)
	if err != nil {
		return err
	}
	return d.sync(name, n)
}

// Rename gives a file another name in its folder, replacing what had it.
func (d *Disk) Rename(from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, err := d.open(from, false)
	if err != nil {
		return err
	}
	in, err := d.folder(to)
	if err != nil {
		return err
	}
	return d.rename("rename", in, to, path.Base(from), n)
}

// Remove removes a name.
func (d *Disk) Remove(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, err := d.open(name, false); err != nil {
		return err
	}
	in, err := d.folder(name)
	if err != nil {
		return err
	}
	return d.rename("remove", in, name, "", nil)
}

// Read returns the content of a file.
func (d *Disk) Read(name string) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, err := d.open(name, false)
	if err != nil {
		return nil, err
	}
	return append([]byte(nil), n.data...), nil
}

// Names returns the names in a folder, sorted.
func (d *Disk) Names(name string) ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cut != "" {
		return nil, ErrCut
	}
	in := d.find(name)
	if in == nil || in.names == nil {
		return nil, fs.ErrNotExist
	}
	return slices.Sorted(maps.Keys(in.names)), nil
}
