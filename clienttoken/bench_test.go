package clienttoken_test

import (
	"testing"

	"github.com/ringonce/ringonce/clienttoken"
)

func benchmarkToken(b *testing.B, recipe clienttoken.Recipe) {
	m := newMaker(b, optionsOf(recipe))
	in := plainInput
	in.EventID = "6a7e8feb-b491-4cf7-a9f1-bf3703467718"
	in.ClientToken = "call-notification-12345-user-67890"
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Token(in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSHA256Token(b *testing.B)     { benchmarkToken(b, clienttoken.SHA256) }
func BenchmarkHMACSHA256Token(b *testing.B) { benchmarkToken(b, clienttoken.HMACSHA256) }
func BenchmarkTemplateToken(b *testing.B)   { benchmarkToken(b, clienttoken.Template) }
func BenchmarkEventIDToken(b *testing.B)    { benchmarkToken(b, clienttoken.EventID) }
