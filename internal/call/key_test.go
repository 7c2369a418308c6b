package call

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func article() Key {
	return Key{Kind: KindVoice, NotificationID: "notification-12345", RecipientID: "user-67890"}
}

func with(k Key, change func(*Key)) Key {
	change(&k)
	return k
}

// The vectors were computed by another program from protocol.md section 2: fields in order, each ended by 0x00.
func TestRowIDsAreTheFixedVectors(t *testing.T) {
	t.Parallel()
	secret := make([]byte, 32)
	for i := range secret {
		secret[i] = byte(i)
	}
	plain, keyed := Naming{}, Naming{Mode: IdentityHMAC, Secret: secret}
	for _, tc := range []struct {
		name      string
		got, want string
	}{
		{"ring 0", plain.Row(article(), 0), "Y5260kC5qMvF9TTt6KoWKTK0fYiRckBwaRluIQm16KE"},
		{"ring 1", plain.Row(article(), 1), "xyftbNVgKTv77JFtVj4vklxTsGZJ_lDBXVCNlhAt824"},
		{"recall", plain.Row(with(article(), func(k *Key) { k.RecallID = "recall-2" }), 0), "rOWYan_Z3Hy42QeamCzwO6QYqlli1mDlleXYVD3yDyo"},
		{"key space, kanji, emoji, ring 12", plain.Row(Key{KeySpace: "家", Kind: KindVoice, NotificationID: "通知", RecipientID: "😀"}, 12), "htLU-XAxxlYEIsGO-bOkxhyhXhlug2xLhKDpsG5aOac"},
		{"event id", plain.Row(with(article(), func(k *Key) { k.KeySpace, k.Instead = "orders", "6a7e8feb-b491-4cf7-a9f1-bf3703467718" }), 0), "q-tAjvIPwmiGYbq6m9NzgZNY1ayKvB7bN5Iu7conVRY"},
		{"hmac", keyed.Row(article(), 0), "aFzzYB_O_r6vvKQLauq_qZkg0lmBp0pKfmulE0FSm6Y"},
		{"recipient", plain.Recipient("", "user-67890"), "KdqR6nCCBS9upiDculkNZhYS42m0QwhGD6FGsOG520I"},
		{"check", plain.Check(), "SdlLnZCmGZTWdyH64MIpJDe2xPHeczwtxtorJoQjpkE"},
		{"check with a secret", keyed.Check(), "FHoj2spMoEaeFsqVw40MN3uaOkd436xDQl6NJKxi52o"},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, tc.got, tc.want)
		}
	}
}

func TestTheIdsStayOutOfAKeyThatIsAnEventID(t *testing.T) {
	t.Parallel()
	a := with(article(), func(k *Key) { k.Instead = "event-1" })
	b := with(a, func(k *Key) { k.NotificationID, k.RecipientID, k.RecallID = "other", "other", "other" })
	if (Naming{}).Row(a, 0) != (Naming{}).Row(b, 0) {
		t.Error("two deliveries of one event have two rows")
	}
}

func TestDifferentKeysAndRingsNeverShareARow(t *testing.T) {
	t.Parallel()
	id := rapid.StringOf(rapid.SampledFrom([]rune{'a', 'b', '0', '1', '-', '日'}))
	key := rapid.Custom(func(t *rapid.T) Key {
		return Key{KeySpace: id.Draw(t, "space"), Kind: KindVoice, NotificationID: id.Draw(t, "n"), RecipientID: id.Draw(t, "r"), RecallID: id.Draw(t, "c")}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := key.Draw(t, "a"), key.Draw(t, "b")
		i, j := rapid.IntRange(0, 12).Draw(t, "i"), rapid.IntRange(0, 12).Draw(t, "j")
		same := a == b && i == j
		if got := (Naming{}).Row(a, i) == (Naming{}).Row(b, j); got != same {
			t.Fatalf("same row %v, same key and ring %v: %+v %d, %+v %d", got, same, a, i, b, j)
		}
	})
}

func TestAKeyTakesItsIdentityFromTheRecipe(t *testing.T) {
	t.Parallel()
	r := Request{NotificationID: "n", RecipientID: "r", RecallID: "c", ClientToken: "tok"}
	for _, tc := range []struct {
		identity Identity
		d        Delivery
		instead  string
		field    string
	}{
		{IdentityIDs, Delivery{Request: r}, "", ""},
		{IdentityClientToken, Delivery{Request: r}, "tok", ""},
		{IdentityClientToken, Delivery{Request: Request{NotificationID: "n", RecipientID: "r"}}, "", "clientToken"},
		{IdentityEventID, Delivery{Request: r, EventID: "e"}, "e", ""},
		{IdentityEventID, Delivery{Request: r}, "", "id"},
		{IdentityEventID, Delivery{Request: r, EventID: "e\x00"}, "", "id"},
		{IdentityEventID, Delivery{Request: r, EventID: strings.Repeat("e", MaxIDBytes+1)}, "", "id"},
	} {
		k, err := keyOf(tc.d, "space", KindVoice, tc.identity)
		if tc.field != "" {
			if e, ok := errorAs(err); !ok || e.Field != tc.field {
				t.Errorf("%s: %v, want an error about %s", tc.identity, err, tc.field)
			}
			continue
		}
		if err != nil || k.Instead != tc.instead || k.KeySpace != "space" || k.Kind != KindVoice {
			t.Errorf("%s: %+v, %v", tc.identity, k, err)
		}
	}
}
