package styletest

import (
	"path"
	"regexp"
	"strings"
	"unicode"
)

var (
	// markdownLink finds the target of an inline link or image.
	markdownLink = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	// namedPage finds a page that code, the Makefile or a document names by its path from the module's root.
	namedPage = regexp.MustCompile(`(?:^|[^\w./-])(docs/[\w/-]+\.md)`)
	// elsewhere finds a target that is not a file of ours.
	elsewhere = regexp.MustCompile(`^[a-z]+:`)
)

// linksMeant lists files whose links are not meant to resolve, each with its reason.
var linksMeant = map[string]string{
	"docs/adr/0000-template.md": "its links stand for those of a page made from it",
}

func links() Check {
	return Check{
		Name: "links",
		Why:  "a reader who follows a link to nothing stops trusting the page",
		Find: func(t *Tree) []Finding {
			var found []Finding
			for _, f := range t.Files {
				if f.inTestdata() || linksMeant[f.Path] != "" {
					continue
				}
				found = append(found, t.namedPages(f)...)
				if path.Ext(f.Path) == ".md" {
					found = append(found, t.brokenLinks(f)...)
				}
			}
			return found
		},
	}
}

// namedPages reports the pages that a file names and that do not exist. Plants of this very package are no names.
func (t *Tree) namedPages(f *File) []Finding {
	if f.dir() == "internal/styletest" {
		return nil
	}
	var found []Finding
	for i, line := range f.lines() {
		for _, match := range namedPage.FindAllSubmatch(line, -1) {
			if page := string(match[1]); !t.exists(page) {
				found = append(found, at(f.Path, i+1, "%s does not exist: write it or name another page", page))
			}
		}
	}
	return found
}

// brokenLinks reports the relative links of a Markdown file that lead to no file, no folder, or no heading.
func (t *Tree) brokenLinks(f *File) []Finding {
	var found []Finding
	for i, line := range proseOf(f) {
		for _, match := range markdownLink.FindAllStringSubmatch(line, -1) {
			if elsewhere.MatchString(match[1]) {
				continue
			}
			name, heading, _ := strings.Cut(match[1], "#")
			target := f.Path
			if name != "" {
				target = path.Join(f.dir(), name)
			}
			switch {
			case !t.exists(target):
				found = append(found, at(f.Path, i+1, "the link %s leads to nothing: correct it or write the page", match[1]))
			case heading != "" && !t.hasHeading(target, heading):
				found = append(found, at(f.Path, i+1, "the link %s names no heading of %s", match[1], target))
			}
		}
	}
	return found
}

// exists reports whether a path is a file of the tree or a folder that holds one.
func (t *Tree) exists(name string) bool { return t.file(name) != nil || t.hasDir(name) }

func (t *Tree) file(name string) *File {
	for _, f := range t.Files {
		if f.Path == name {
			return f
		}
	}
	return nil
}

func (t *Tree) hasHeading(name, anchor string) bool {
	f := t.file(name)
	if f == nil {
		return false
	}
	for _, line := range proseOf(f) {
		if title := strings.TrimLeft(line, "#"); title != line && slug(title) == anchor {
			return true
		}
	}
	return false
}

// slug turns a heading into the anchor that readers of Markdown give it.
func slug(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(title))
}

// proseOf returns the lines of a Markdown file; those of code blocks are empty.
func proseOf(f *File) []string {
	var prose []string
	code := false
	for _, line := range f.lines() {
		fence := strings.HasPrefix(strings.TrimSpace(string(line)), "```")
		if code = code != fence; code || fence {
			prose = append(prose, "")
			continue
		}
		prose = append(prose, string(line))
	}
	return prose
}
