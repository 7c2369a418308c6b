package sim

import "slices"

// Shrink returns a shorter life that fails all the same: acts are left out in ever smaller stretches, then strikes, then what strikes say. fails
// lives a candidate from its beginning; it is asked at most so many times.
func Shrink(acts []Act, most int, fails func([]Act) bool) []Act {
	asked := 0
	ask := func(candidate []Act) bool {
		asked++
		return asked <= most && fails(candidate)
	}
	for size := max(len(acts)/2, 1); ; size /= 2 {
		for from := 0; from < len(acts); {
			candidate := slices.Delete(slices.Clone(acts), from, min(from+size, len(acts)))
			if ask(candidate) {
				acts = candidate
			} else {
				from += size
			}
		}
		if size <= 1 {
			break
		}
	}
	for i := range acts {
		for j := 0; j < len(acts[i].Strikes); {
			candidate := slices.Clone(acts)
			candidate[i].Strikes = slices.Delete(slices.Clone(acts[i].Strikes), j, j+1)
			if ask(candidate) {
				acts = candidate
			} else {
				j++
			}
		}
	}
	return acts
}
