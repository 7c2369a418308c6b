package replay

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Stdin is the path that stands for the standard input.
const Stdin = "-"

// Found is what [Files] met beside documents.
type Found struct {
	Files int // that were read
	Links int // symbolic links and other things that are no plain file, in folders; none of them was followed
}

// Files visits the documents of files and folders in their order. A folder stands for all files in it and in the folders below, sorted by
// name. The errors are those of the file system and of visit; what is wrong with a document is its [Problem].
func Files(paths []string, stdin io.Reader, visit func(Document) error) (Found, error) {
	var found Found
	for _, path := range paths {
		if path == Stdin {
			found.Files++
			if err := split("stdin", stdin, visit); err != nil {
				return found, err
			}
			continue
		}
		info, err := os.Stat(path) // a link that is named is followed
		if err != nil {
			return found, err
		}
		if info.IsDir() {
			err = found.folder(path, visit)
		} else {
			err = found.file(path, visit)
		}
		if err != nil {
			return found, err
		}
	}
	return found, nil
}

func (f *Found) folder(root string, visit func(Document) error) error {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return err
	}
	return filepath.WalkDir(real, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return nil
		case !entry.Type().IsRegular():
			f.Links++
			return nil
		}
		return f.file(path, visit)
	})
}

func (f *Found) file(path string, visit func(Document) error) (err error) {
	f.Files++
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := split(path, file, visit); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
