package rules

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Price is what a call costs to numbers that begin with certain digits, in millionths of a currency.
type Price struct {
	Prefix    string // first digits, without +; empty means every number that no other price is about
	PerCall   int
	PerMinute int
}

// Prices are those of all numbers: the longest prefix that fits decides.
type Prices []Price

// of returns the most that a call to a number may cost: its price for the call and for every minute that it may last, each one that begins whole.
// What it will cost nobody knows before it was rung, and a ceiling that is judged by less is none.
func (p Prices) of(number string, longest time.Duration) int {
	best := Price{}
	for _, price := range p {
		if strings.HasPrefix(digits(number), price.Prefix) && len(price.Prefix) >= len(best.Prefix) {
			best = price
		}
	}
	return best.of(longest)
}

func (p Price) of(longest time.Duration) int {
	minutes := int((longest + time.Minute - 1) / time.Minute)
	return p.PerCall + minutes*p.PerMinute
}

// Dearest returns the most that a call may cost to any number.
func (p Prices) Dearest(longest time.Duration) int {
	most := 0
	for _, price := range p {
		most = max(most, price.of(longest))
	}
	return most
}

// millionths is how an amount of money is counted: prices of a minute have more decimals than coins.
const millionths = 1_000_000

// mostMoney bounds an amount, so that no sum of a day overflows.
const mostMoney = 1_000_000_000

// ParseMoney reads an amount such as 12.5, with 6 decimals at most.
func ParseMoney(text string) (int, error) {
	const decimals = 6
	whole, part, point := strings.Cut(text, ".")
	n, err := strconv.ParseUint(whole, 10, 32)
	if err != nil || n > mostMoney || len(part) > decimals || (point && part == "") || strings.Trim(part, "0123456789") != "" {
		return 0, fmt.Errorf("%q: write an amount to %d with 6 decimals at most, such as 0.013", text, mostMoney)
	}
	rest, err := strconv.Atoi("0" + part + strings.Repeat("0", decimals-len(part)))
	if err != nil {
		return 0, fmt.Errorf("%q: %w", text, err)
	}
	return int(n)*millionths + rest, nil
}

// Money writes an amount in millionths, with two decimals at least.
func Money(n int, currency string) string {
	const coins = 2
	text := fmt.Sprintf("%d.%06d", n/millionths, n%millionths)
	point := strings.IndexByte(text, '.')
	for len(text) > point+1+coins && text[len(text)-1] == '0' {
		text = text[:len(text)-1]
	}
	return strings.TrimSpace(text + " " + currency)
}
