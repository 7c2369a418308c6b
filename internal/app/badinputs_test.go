package app_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/envelope"
)

func badInputs() map[string]badInput {
	all := map[string]badInput{}
	for _, group := range []map[string]badInput{brokenTexts(), brokenMembers(), brokenEncodings(), refusedNumbers(), refusedValues()} {
		maps.Copy(all, group)
	}
	return all
}

// brokenTexts are payloads that are no JSON, or not the JSON of one request.
func brokenTexts() map[string]badInput {
	spaces := []string{"", " ", "\n", "\t", "\r\n", "  \n  ", "\r", "\t\t"}
	return map[string]badInput{
		"empty": {codes: "json_empty", make: func(n int) string { return strings.Repeat(turn(spaces, n), n/len(spaces)+1) + strings.Repeat(" ", n) }},
		"not JSON": {codes: "json_syntax json_trailing_data payload_not_object", make: edited(func(n int, p string) string {
			return []string{p[1:], p[:len(p)-1-n], "<call/>" + p, "a=" + p, p[:n+1], strings.ReplaceAll(p, ":", "="), strings.ReplaceAll(p, ",", ";"), "---\n" + p}[n%8]
		})},
		"BOM": {codes: "json_bom", make: edited(func(n int, p string) string { return strings.Repeat(" ", n) + "\ufeff" + p })},
		"trailing data": {codes: "json_trailing_data", make: edited(func(n int, p string) string {
			return p + strings.Repeat(" ", n) + []string{p, "{}", "x", ",", "null", "]", "}", "\x00"}[n%8]
		})},
		"JSON5 and comments": {codes: "json_syntax json_trailing_data", make: edited(func(n int, p string) string {
			return []string{
				"// comment\n" + p, "/* c */" + p, p[:len(p)-1] + ",}", strings.Replace(p, `"notificationId"`, "notificationId", 1), strings.ReplaceAll(p, `"`, `'`),
				p[:len(p)-1] + `,"x":+1}`, p[:len(p)-1] + `,"x":.5}`, p[:len(p)-1] + `,"x":0xff}`, p[:len(p)-1] + `,"x":NaN}`, p[:len(p)-1] + `,"x":Infinity}`,
				p[:len(p)-1] + "/**/}", p + "// end", p[:len(p)-1] + `,"x":[1,]}`, p[:len(p)-1] + `,"x":"a` + "\n" + `b"}`, p[:len(p)-1] + `,"x":"a` + "\\\n" + `b"}`,
				p[:len(p)-1] + `,"x":01}`, p[:len(p)-1] + `,"x":1.}`, "# c\n" + p, p[:len(p)-1] + `,"x":"\x41"}`, p[:len(p)-1] + `,"x":undefined}`, p[:len(p)-1] + `,"x":'a'}`,
				p[:len(p)-1] + `,x:1}`, p[:len(p)-1] + `,"x":1_000}`, "\v" + p,
			}[n]
		})},
		"duplicate names": {codes: "json_duplicate_key", make: edited(func(n int, p string) string {
			name := turn(textMembers, n)
			if n%2 == 0 {
				return p[:len(p)-1] + `,"x":{"` + name + `":1,"` + name + `":2}}`
			}
			return p[:len(p)-1] + fmt.Sprintf(`,"%s":"%s","\u00%02x%s":"x"}`, name, badNumber(n+1), name[0], name[1:])
		})},
		"case-variant names": {codes: "field_case", make: edited(func(n int, p string) string {
			name := turn(textMembers, n)
			variant := []string{strings.ToUpper(name), strings.ToLower(name), strings.ToUpper(name[:1]) + name[1:], name[:1] + strings.ToUpper(name[1:])}[n/len(textMembers)%4]
			if variant == name {
				variant = strings.ToUpper(name)
			}
			return p[:len(p)-1] + `,"` + variant + `":"x"}`
		})},
		"depth": {codes: "json_depth", make: edited(func(n int, p string) string {
			depth := envelope.MaxDepth + n*n*n
			if n%2 == 0 {
				return p[:len(p)-1] + `,"x":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + "}"
			}
			return p[:len(p)-1] + `,"x":` + strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth) + "}"
		})},
		"size": {codes: "too_large", whole: func(n int) string {
			return goodPayload(n)[:1] + `"x":"` + strings.Repeat("x", envelope.MaxDocumentBytes+n) + `",` + goodPayload(n)[1:]
		}},
		"a million empty objects": {codes: "too_large json_depth envelope_unrecognised payload_not_object", whole: func(n int) string {
			filler := strings.Repeat([]string{"{},", "[],", "0,", `"",`, "null,"}[n%5], 1_000_000)
			if n%2 == 0 {
				return strings.Repeat(" ", n) + "[" + filler + "{}]"
			}
			return strings.Repeat(" ", n) + `{"Records":[` + filler + "{}]}"
		}},
	}
}

// brokenMembers are requests whose members have the wrong type or form.
func brokenMembers() map[string]badInput {
	types := []string{"1", "1.5", "true", "false", "{}", "[]", `["x"]`, `{"a":"x"}`}
	return map[string]badInput{
		"wrong types": {codes: "field_type", make: func(n int) string {
			return payloadOf(n, map[string]string{turn(append(textMembers, "attributes", "action", "requestedAt", "notAfter"), n): turn(types[:4], n)})
		}},
		"null and missing": {codes: "field_null field_missing", make: func(n int) string {
			return payloadOf(n, map[string]string{turn(textMembers[:3], n): []string{"null", ""}[n/3%2], "recallId": fmt.Sprintf(`"recall-%d"`, n)})
		}},
		"numbers as phone": {codes: "field_type", make: func(n int) string {
			return payloadOf(n, map[string]string{"destinationPhoneNumber": strings.TrimPrefix(badNumber(n), "+") + []string{"", ".0", "e0"}[n%3]})
		}},
		"1e999999999": {codes: "field_type", make: func(n int) string {
			return payloadOf(n, map[string]string{turn(append(textMembers, "requestedAt", "notAfter"), n): []string{"1e999999999", "-1E+999999999", "1e-999999999"}[n%3]})
		}},
		"beyond 2^53": {codes: "field_type", make: func(n int) string {
			return payloadOf(n, map[string]string{turn(idMembers, n): fmt.Sprint(1<<53+n) + []string{"", "000000000000000000000", ".5"}[n%3]})
		}},
		"NUL": {codes: "field_value json_syntax json_invalid_utf8", make: func(n int) string {
			return payloadOf(n, map[string]string{turn(textMembers, n): `"a` + []string{`\u0000`, "\x00"}[n%2] + fmt.Sprint(n) + `"`})
		}},
		"control characters in ids": {codes: "field_value json_syntax", make: func(n int) string {
			return payloadOf(n, map[string]string{turn(idMembers, n): `"a\u00` + fmt.Sprintf("%02x", n+1) + `b"`})
		}},
		"an empty key": {codes: "field_value field_missing field_null", make: func(n int) string {
			return payloadOf(n, map[string]string{
				turn(idMembers[:2], n): []string{`""`, `" "`, `"\t"`, `"\u00a0"`, `"\u2003"`, `"\u3000"`, "null", `"\n"`, `"   "`, `"\r\n"`, `"\u2028"`}[n/2%11],
			})
		}},
		"a key of 4 KiB": {codes: "field_value", make: func(n int) string {
			return payloadOf(n, map[string]string{turn(idMembers, n): `"` + strings.Repeat(turn([]string{"x", "é", "電", "😀"}, n/4), 4096+n) + `"`})
		}},
		"separators that end a field": {codes: "field_value", make: func(n int) string {
			return payloadOf(n, map[string]string{turn(idMembers, n): `"a` + turn([]string{`\n`, `\u0000`, `\n\n1`, `\r`, `\u001f`, `\u0085`}, n/4) + `b"`})
		}},
	}
}

// brokenEncodings are payloads whose bytes are not what they should be.
func brokenEncodings() map[string]badInput {
	bad := []string{"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\x80", "\xe2\x82", "\xf0\x9f\x98"}
	halves := []string{`\ud83d`, `\ude00`, `\ud83dx`, `\ud83d\ud83d`, `\ude00\ud83d`, `\uDFFF`}
	return map[string]badInput{
		"invalid UTF-8": {codes: "json_invalid_utf8", make: func(n int) string {
			return payloadOf(n, map[string]string{turn(textMembers, n): `"a` + turn(bad, n) + `b"`})
		}},
		"lone surrogates": {codes: "json_unpaired_surrogate", make: func(n int) string {
			return payloadOf(n, map[string]string{turn(append(textMembers, "note"), n): `"` + turn(halves, n) + `"`})
		}},
		"double-encoded bodies": {codes: "payload_not_object", make: edited(func(n int, p string) string {
			for range 1 + n%3 {
				quoted, _ := json.Marshal(p)
				p = string(quoted)
			}
			return strings.Repeat(" ", n) + p
		})},
		"base64 that is wrong": {codes: "payload_undecodable json_empty json_invalid_utf8 json_syntax json_trailing_data", whole: func(n int) string {
			body := kinesisOf([]byte(goodPayload(n)))
			from := strings.Index(body, `"data":"`) + len(`"data":"`)
			return body[:from] + []string{"!" + body[from:], "=" + body[from:], body[from+1:], "-_" + body[from+2:], "====" + body[from:], "%7B" + body[from:]}[n%6]
		}},
		"a gzip bomb": {codes: "payload_undecodable", whole: func(n int) string {
			return kinesisOf(gzipped([]byte(strings.Repeat(" ", 3<<20+n) + goodPayload(n))))
		}},
		"envelope look-alikes": {codes: "envelope_ambiguous envelope_unrecognised payload_missing field_missing payload_not_object payload_offloaded", make: func(n int) string {
			p := goodPayload(n)
			quoted, _ := json.Marshal(p)
			sns := `"Type":"Notification","MessageId":"m","TopicArn":"a","Timestamp":"2026-11-29T02:59:00.000Z","Message":`
			bus := `"version":"0","id":"i","detail-type":"d","source":"s","account":"1","time":"2026-11-29T02:59:00Z","region":"r","resources":[],"detail":`
			return []string{
				`{` + sns + string(quoted) + `,` + p[1:], `{` + bus + p + `,` + p[1:], `{"Records":[` + p + `]}`, `{"detail":` + p + `}`, `{"Message":` + string(quoted) + `}`,
				`{"body":` + string(quoted) + `}`, `["PayloadS3Pointer",{"s3BucketName":"b","s3Key":"k"}]`, `{"subscriberArn":"a","failedMessages":[` + p + `]}`,
			}[n%8][:] + strings.Repeat(" ", n)
		}},
	}
}

// refusedNumbers are destinations that no phone network of the allowed ones has, or that nobody allowed.
func refusedNumbers() map[string]badInput {
	wide := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return r - '0' + '０'
			}
			return r
		}, s)
	}
	phone := func(f func(n int) string) func(int) string {
		return func(n int) string { return payloadOf(n, map[string]string{"destinationPhoneNumber": `"` + f(n) + `"`}) }
	}
	hidden := []string{"\u200b", "\u200e", "\u200f", "\u202a", "\u202e", "\u2066", "\u2069", "\ufeff", "\u00ad", "\u2060", "\u061c", "\u180e"}
	return map[string]badInput{
		"no plus":   {codes: "field_value", make: phone(func(n int) string { return badNumber(n)[1:] })},
		"00 prefix": {codes: "field_value", make: phone(func(n int) string { return turn([]string{"00", "011", "010", "+00", "+0"}, n) + badNumber(n)[1:] })},
		"extension": {codes: "field_value", make: phone(func(n int) string {
			return badNumber(n) + turn([]string{"x1", ";ext=1", "#1", ",1", " ext 1", "p1", "w1", "*1"}, n)
		})},
		"formatting": {codes: "field_value", make: phone(func(n int) string {
			return badNumber(n)[:5] + turn([]string{" ", "-", ".", "(", "/", "\u00a0", `\t`, "\u2011"}, n) + badNumber(n)[5:]
		})},
		"short":          {codes: "field_value destination_denied", make: phone(func(n int) string { return "+" + fmt.Sprint(10 + n)[:1+n%2] + strings.Repeat("1", n%4) })},
		"over 15 digits": {codes: "field_value", make: phone(func(n int) string { return badNumber(n) + strings.Repeat("0", 4+n) })},
		"premium": {codes: "destination_denied", make: phone(func(n int) string {
			return turn([]string{"+1900", "+81990", "+449", "+44909"}, n) + fmt.Sprintf("%07d", n)[:7-n%2]
		})},
		"satellite and international networks": {codes: "destination_denied", make: phone(func(n int) string {
			return turn([]string{"+870", "+881", "+882", "+883", "+878", "+979", "+888", "+808"}, n) + fmt.Sprintf("%08d", n)
		})},
		"emergency": {codes: "destination_denied field_value", make: phone(func(n int) string {
			return turn([]string{"+1911", "+44999", "+44112", "+81110", "+81119", "+81118", "110", "911"}, n) + strings.Repeat("0", min(n/8, 1))
		})},
		"our own number": {codes: "destination_denied", make: phone(func(int) string { return "+12025550100" })},
		"unassigned codes": {codes: "destination_denied", make: phone(func(n int) string {
			return turn([]string{"+210", "+999", "+801", "+384", "+215", "+699"}, n) + fmt.Sprintf("%08d", n)
		})},
		"regions not listed": {codes: "destination_denied", make: phone(func(n int) string {
			return turn([]string{"+33612", "+4930", "+3726", "+23276", "+9609", "+2526"}, n) + fmt.Sprintf("%06d", n)
		})},
		"full-width digits": {codes: "field_value", make: phone(func(n int) string { return "+" + wide(badNumber(n)[1:n%11+2]) + badNumber(n)[n%11+2:] })},
		"a homoglyph for the plus": {codes: "field_value", make: phone(func(n int) string {
			return turn([]string{"＋", "➕", "⁺", "₊", "﹢", "†", "十", "\u2795", "＋+", "+＋"}, n) + badNumber(n)[1:]
		})},
		"bidi and zero-width characters": {codes: "field_value", make: phone(func(n int) string { return badNumber(n)[:n%13+1] + turn(hidden, n) + badNumber(n)[n%13+1:] })},
	}
}

// refusedValues are requests that are well-formed and may not ring.
func refusedValues() map[string]badInput {
	at := func(d time.Duration) string {
		return `"` + time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(d).Format(time.RFC3339) + `"`
	}
	return map[string]badInput{
		"attribute charset": {codes: "field_value", make: func(n int) string {
			name, _ := json.Marshal("a" + turn([]string{" ", ".", ":", "/", "é", "\u200b", "$", "{", "\"", "\\", "\n", "😀"}, n) + fmt.Sprint(n))
			return payloadOf(n, map[string]string{"attributes": "{" + string(name) + `:"x"}`})
		}},
		"attribute types": {codes: "field_type", make: func(n int) string {
			return payloadOf(n, map[string]string{"attributes": `{"a":` + turn([]string{"1", "true", "{}", "[]", `["x"]`, "1.5", "null"}, n) + fmt.Sprintf(`,"b%d":"x"}`, n)})
		}},
		"attributes over 32,768 bytes": {codes: "attributes_too_large", make: func(n int) string {
			return payloadOf(n, map[string]string{"attributes": `{"a":"` + strings.Repeat(turn([]string{"x", "é", "電", "😀"}, n), 32_768+n) + `"}`})
		}},
		"future timestamps": {codes: "requested_at_in_future", make: func(n int) string {
			return payloadOf(n, map[string]string{"requestedAt": at(6*time.Minute + time.Duration(n*n*n)*time.Hour)})
		}},
		"ancient timestamps": {codes: "stale", none: true, make: func(n int) string {
			return payloadOf(n, map[string]string{"requestedAt": at(-6*24*time.Hour - time.Minute - time.Duration(n*n*n)*time.Hour)})
		}},
		"notAfter before now": {codes: "not_after", done: true, make: func(n int) string {
			return payloadOf(n, map[string]string{"notAfter": at(-time.Second - time.Duration(n*n*n)*time.Hour)})
		}},
		"notAfter that is no time": {codes: "field_value field_type", make: func(n int) string {
			return payloadOf(n, map[string]string{"notAfter": []string{`"tomorrow"`, `""`, `"2026-11-29"`, `"2026-11-29T03:00:00"`, "1795921200", `"1795921200"`, `"2026-13-29T03:00:00Z"`, `"0000-00-00T00:00:00Z"`}[n%8], "recallId": fmt.Sprintf(`"r-%d"`, n)})
		}},
		"unknown profiles": {codes: "profile_unknown", make: func(n int) string {
			return payloadOf(n, map[string]string{"profile": fmt.Sprintf(`"%s%d"`, turn([]string{"alert", "../alert", "ALERT", "alert "}, n), n)})
		}},
		"unknown actions": {codes: "field_value", make: func(n int) string {
			return payloadOf(n, map[string]string{"action": fmt.Sprintf(`"%s%d"`, turn([]string{"call", "CALL", "delete", "cancel "}, n), n)})
		}},
	}
}
