package styletest

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// Module is the import path of this module; import rules name packages below it.
const Module = "github.com/ringonce/ringonce"

// Tree is a set of text files, as the checks see the repository.
type Tree struct {
	// Files are ordered by path.
	Files []*File
	// Links lists, for a command's folder, the import paths of everything linked into its binary. It stays nil where
	// the go command was not asked.
	Links map[string][]string

	fset *token.FileSet
}

// File is one text file.
type File struct {
	// Path is relative to the module's root, with forward slashes.
	Path string
	// Content is the file's bytes.
	Content []byte
	// AST is the parsed source of a Go file; nil for any other file and for a file that does not parse.
	AST *ast.File
	// Err says why a Go file does not parse.
	Err error
}

// NewTree builds a tree from path to content.
func NewTree(files map[string]string) *Tree {
	t := &Tree{fset: token.NewFileSet()}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		t.add(name, []byte(files[name]))
	}
	return t
}

// ReadTree reads every text file below the root of fsys, except what no commit contains: the repository's own
// administration, built tools and fetched packages.
func ReadTree(fsys fs.FS) (*Tree, error) {
	t := &Tree{fset: token.NewFileSet()}
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // removed by a neighbor while we walked
		case err != nil:
			return err
		case entry.IsDir() && notOurs(name):
			return fs.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		content, err := fs.ReadFile(fsys, name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		if isText(content) {
			t.add(name, content)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("walk the tree: %w", err)
	}
	return t, nil
}

func (t *Tree) add(name string, content []byte) {
	f := &File{Path: name, Content: content}
	if path.Ext(name) == ".go" && !f.inTestdata() {
		f.AST, f.Err = parser.ParseFile(t.fset, name, content, parser.ParseComments|parser.SkipObjectResolution)
		if f.Err != nil {
			f.AST = nil
		}
	}
	t.Files = append(t.Files, f)
}

// goFiles returns the Go sources that parse, testdata excluded.
func (t *Tree) goFiles() []*File {
	return slices.DeleteFunc(slices.Clone(t.Files), func(f *File) bool { return f.AST == nil })
}

// line returns the line number of a position in a parsed file.
func (t *Tree) line(pos token.Pos) int { return t.fset.Position(pos).Line }

// hasDir reports whether a folder of that path holds at least one file, at any depth.
func (t *Tree) hasDir(dir string) bool {
	return slices.ContainsFunc(t.Files, func(f *File) bool { return strings.HasPrefix(f.Path, dir+"/") })
}

func (f *File) dir() string       { return path.Dir(f.Path) }
func (f *File) isTest() bool      { return strings.HasSuffix(f.Path, "_test.go") }
func (f *File) isGenerated() bool { return f.AST != nil && ast.IsGenerated(f.AST) }
func (f *File) lines() [][]byte {
	return bytes.Split(bytes.TrimSuffix(f.Content, []byte("\n")), []byte("\n"))
}
func (f *File) inTestdata() bool { return slices.Contains(strings.Split(f.dir(), "/"), "testdata") }
func (f *File) isCommandMain() bool {
	return path.Base(f.Path) == "main.go" && path.Dir(f.dir()) == "cmd"
}

// notOurs names the folders that are never part of a commit.
func notOurs(dir string) bool {
	switch path.Base(dir) {
	case ".git", ".tools", "node_modules", "__pycache__":
		return true
	}
	return dir == "bin" || dir == "dist"
}

// isText applies git's own test: no zero byte in the first 8000.
func isText(content []byte) bool {
	return !bytes.Contains(content[:min(len(content), 8000)], []byte{0})
}
