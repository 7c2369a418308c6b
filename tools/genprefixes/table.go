package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nyaruka/phonenumbers"
)

// kind is a letter of the table: an ordinary number of a region is "=".
type kind byte

const (
	ordinary kind = '='
	premium  kind = 'p'
	shared   kind = 's'
	tollFree kind = 'f'
	personal kind = 'n'
	pager    kind = 'g'
	access   kind = 'u' // universal access numbers of companies
	network  kind = 'i' // satellites and networks that belong to no region
)

// deepest bounds how many national digits a prefix has. Where two kinds differ only in later digits the worse one counts.
const deepest = 6

// regional bounds how many national digits tell the regions of one calling code apart.
const regional = 4

// plan is the numbering plan of one region.
type plan struct {
	region string
	code   string // the calling code
	main   bool   // the region that has what belongs to no other one under its code
	kinds  []described
}

type described struct {
	kind    kind
	pattern pattern
}

// worst orders kinds by how much a mistake costs.
var worst = []kind{premium, shared, network, personal, access, pager, tollFree, ordinary}

func plans() ([]plan, error) {
	collection, err := phonenumbers.MetadataCollection()
	if err != nil {
		return nil, err
	}
	var list []plan
	for _, m := range collection.GetMetadata() {
		code := strconv.Itoa(int(m.GetCountryCode()))
		p := plan{region: m.GetId(), code: code, main: m.GetMainCountryForCode() || len(phonenumbers.GetRegionCodesForCountryCode(int(m.GetCountryCode()))) == 1}
		for _, d := range []struct {
			kind kind
			desc *phonenumbers.PhoneNumberDesc
		}{
			{premium, m.GetPremiumRate()},
			{shared, m.GetSharedCost()},
			{personal, m.GetPersonalNumber()},
			{access, m.GetUan()},
			{pager, m.GetPager()},
			{tollFree, m.GetTollFree()},
			{ordinary, m.GetFixedLine()},
			{ordinary, m.GetMobile()},
			{ordinary, m.GetVoip()},
			{ordinary, m.GetVoicemail()},
		} {
			text := d.desc.GetNationalNumberPattern()
			if text == "" || text == "NA" {
				continue
			}
			compiled, err := compile(text)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.region, err)
			}
			p.kinds = append(p.kinds, described{d.kind, compiled})
		}
		if p.region == "001" { // no region: satellites, international networks, freephone and shared cost for the whole world
			for i := range p.kinds {
				if k := p.kinds[i].kind; k == ordinary || k == access || k == pager || k == personal {
					p.kinds[i].kind = network
				}
			}
		}
		list = append(list, p)
	}
	return list, nil
}

// found is what a prefix leads to.
type found struct {
	region string
	kind   kind
	// except lists the kinds of numbers of other lengths: a digit count and a kind each, such as "08=". Premium numbers that begin as a
	// city's do are told apart by it.
	except string
}

func table() (string, error) {
	list, err := plans()
	if err != nil {
		return "", err
	}
	byCode := map[string][]plan{}
	for _, p := range list {
		byCode[p.code] = append(byCode[p.code], p)
	}
	var lines []string
	for code, regions := range byCode {
		slices.SortFunc(regions, func(a, b plan) int { return strings.Compare(a.region, b.region) })
		lines = append(lines, build(regions, "", startOf(regions)).lines(code, found{})...)
	}
	slices.Sort(lines)
	source, err := source()
	return "# " + source + "\n" + strings.Join(lines, "\n") + "\n", err
}

func mainOf(regions []plan) string {
	for _, p := range regions {
		if p.main {
			return p.region
		}
	}
	return regions[0].region
}

// where is the state of every pattern of every region under one calling code.
type where [][]state

func startOf(regions []plan) where {
	w := make(where, len(regions))
	for i, p := range regions {
		for _, d := range p.kinds {
			w[i] = append(w[i], d.pattern.start())
		}
	}
	return w
}

func (w where) step(regions []plan, digit rune) where {
	next := make(where, len(regions))
	for i, p := range regions {
		for j, d := range p.kinds {
			next[i] = append(next[i], d.pattern.step(w[i][j], digit))
		}
	}
	return next
}

// candidates lists what the numbers with a prefix can be.
func (w where) candidates(regions []plan) []found {
	var list []found
	for i, p := range regions {
		for j, d := range p.kinds {
			if f := (found{region: p.region, kind: d.kind}); len(w[i][j]) > 0 && !slices.Contains(list, f) {
				list = append(list, f)
			}
		}
	}
	return list
}
