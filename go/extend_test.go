package signdoc

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestExtend(t *testing.T) {
	stamped := filepath.Join(data, "stamped.pdf")
	request := ExtendRequest{
		Level:   "B-LT",
		Trust:   []Document{File(filepath.Join(data, "roots.pem"))},
		Options: [][2]string{{"fetch", "false"}, {"at", "1795179600"}},
	}
	made, err := Extend(context.Background(), File(stamped), "", request)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(stamped)
	if err != nil {
		t.Fatal(err)
	}
	// It had all of it: nothing was added.
	if made.Level != "B-LT" || !made.Reached || !bytes.Equal(made.Data, before) || len(made.Signatures) != 1 {
		t.Errorf("%+v", made)
	}
	to := filepath.Join(t.TempDir(), "out.pdf")
	if made, err = Extend(context.Background(), Bytes(before, ""), to, request); err != nil || made.Path != to || made.Data != nil {
		t.Errorf("%+v %v", made, err)
	}
	for level, wanted := range map[string]Code{"B-LTA": CodeMissingOption, "B-T": CodeInvalidOption, "": CodeMissingOption} {
		request.Level = level
		_, err := Extend(context.Background(), File(stamped), "", request)
		var told *Error
		if !errors.As(err, &told) || told.Code != wanted {
			t.Errorf("%s: %v", level, err)
		}
	}
}
