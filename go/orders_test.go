package signdoc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

const back = "https://shop.example/callback"

// visit does what a browser does with an authorize address; the address it comes back to.
func (s *sandbox) visit(url, action string) string {
	s.t.Helper()
	var answer struct{ Callback struct{ URL string } }
	told := s.control("POST", "/_sandbox/visit", map[string]string{"url": url, "action": action})
	if err := json.Unmarshal(told, &answer); err != nil {
		s.t.Fatal(err)
	}
	return answer.Callback.URL
}

func TestAnOrderIsSigned(t *testing.T) {
	server := sandboxOf(t, "production")
	client := server.client(nil)
	ctx := context.Background()
	loan := File(filepath.Join(os.Getenv("SAMPLES"), "loan-agreement.pdf"))
	alone := true
	documents := map[Kind][]OrderDocument{
		Pades: {
			{PDF: loan, Description: "Loan agreement", EndUserSeal: &Seal{X: 72.5, Y: 700, Page: 1}},
			{PDF: loan, EndUserOnly: &alone},
		},
		Sdo: {{Text: Ptr("I agree.")}, {PDF: loan}},
	}
	results := map[Kind][]string{Pades: {"padesSignedPdf", "padesAppendix"}, Sdo: {"sdo", "basicSignature"}}
	for kind, documents := range documents {
		options := OrderOptions{Name: "Loan 4711", Results: results[kind], TimeoutSeconds: Ptr(600), ShowConfirmation: &alone}
		order, err := client.CreateOrder(ctx, kind, documents, options)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = client.DownloadOrder(ctx, order, DownloadOptions{}); err == nil {
			t.Fatal("an order that is not signed was downloaded")
		}
		failure(t, err, CodeOrderNotReady)
		login, err := client.BeginLogin(ctx, order, back, LoginOptions{UILocales: []string{"nb"}})
		if err != nil {
			t.Fatal(err)
		}
		identity, err := client.FinishLogin(ctx, login.Token, server.visit(login.URL, "sign"), CallOptions{})
		if err != nil || identity.SignID != order.SignID || identity.Claims["sub"] != identity.Subject {
			t.Fatal(identity, err)
		}
		state, err := client.WaitForOrder(ctx, order, nil, CallOptions{})
		if err != nil || state.Name != "SIGN_COMPLETED" || !state.Final {
			t.Fatal(state, err)
		}
		to := ""
		if kind == Pades {
			to = t.TempDir()
		}
		download, err := client.DownloadOrder(ctx, order, DownloadOptions{To: to})
		if err != nil || len(download.Documents) != 2 || download.OrderName != "Loan 4711" {
			t.Fatal(download, err)
		}
		for _, one := range download.Documents {
			check(t, kind, one)
		}
		_, err = client.DiscardOrder(ctx, &Order{Kind: kind, SignID: order.SignID}, CallOptions{})
		failure(t, err, CodeOrderNotFound)
	}
}

func check(t *testing.T, kind Kind, one Signed) {
	t.Helper()
	if kind == Pades {
		pdf, err := os.ReadFile(one.Document.Path)
		if err != nil || !bytes.HasPrefix(pdf, []byte("%PDF-")) || one.Appendix.Path == "" || one.Document.Data != nil {
			t.Error(one.Document.Path, one.Appendix.Path, err)
		}
		return
	}
	if !bytes.HasPrefix(one.Document.Data, []byte("<")) || len(one.EndUserSignature.Data) < 100 || one.Document.Path != "" {
		t.Error(len(one.Document.Data), len(one.EndUserSignature.Data))
	}
}

func TestAnOrderIsNotSigned(t *testing.T) {
	server := sandboxOf(t, "production")
	client := server.client(nil)
	ctx := context.Background()
	order, err := client.CreateOrder(ctx, Sdo, []OrderDocument{{Text: Ptr("I agree.")}}, OrderOptions{Name: "o"})
	if err != nil {
		t.Fatal(err)
	}
	login, err := client.BeginLogin(ctx, order, back, LoginOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.FinishLogin(ctx, login.Token, server.visit(login.URL, "cancel"), CallOptions{})
	told := failure(t, err, CodeAuthorizeAccessDenied)
	if told.Details["sign_id"] != order.SignID {
		t.Error(told.Details)
	}
	state, err := client.OrderState(ctx, order, CallOptions{})
	if err != nil || state.Name != "CANCELLED" || !state.Final {
		t.Error(state, err)
	}
	_, err = client.DownloadOrder(ctx, order, DownloadOptions{})
	failure(t, err, CodeOrderCancelled)
	last, err := client.DiscardOrder(ctx, order, CallOptions{})
	if err != nil || last.OrderState != "CANCELLED" || len(last.Documents) != 0 {
		t.Error(last, err)
	}
	_, err = client.CreateOrder(ctx, Pades, []OrderDocument{{Text: Ptr("I agree.")}}, OrderOptions{Name: "o"})
	failure(t, err, CodeContentKind)
	_, err = client.CreateOrder(ctx, Sdo, []OrderDocument{{Text: Ptr("a"), EndUserOnly: Ptr(true)}}, OrderOptions{Name: "o"})
	if told := failure(t, err, CodeInvalidArgument); told.Details["field"] != "documents[0].endUserOnly" {
		t.Error(told.Details)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	_, err = client.WaitForOrder(done, order, nil, CallOptions{})
	failure(t, err, CodeCancelled)
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	found, err := client.Recover(ctx, t.TempDir(), CallOptions{})
	if err != nil || len(found) != 0 {
		t.Error(found, err)
	}
}

func TestADownloadIsRecovered(t *testing.T) {
	server := sandboxOf(t, "production")
	client := server.client(nil)
	ctx := context.Background()
	documents := []OrderDocument{{Text: Ptr("one")}, {Text: Ptr("two")}}
	order, err := client.CreateOrder(ctx, Sdo, documents, OrderOptions{Name: "o"})
	if err != nil {
		t.Fatal(err)
	}
	server.control("POST", "/_sandbox/orders/"+order.SignID+"/sign", nil)
	server.fault(map[string]any{"method": "DELETE", "fault": map[string]any{
		"kind": "cut_document", "document": 2, "at": "middle",
	}})
	folder := t.TempDir()
	_, err = client.DownloadOrder(ctx, order, DownloadOptions{To: folder})
	told := failure(t, err, CodeOutcomeUnknown)
	if told.Download == nil || told.Download.Documents[0].Document.Path == "" {
		t.Error(told.Download)
	}
	found, err := client.Recover(ctx, folder, CallOptions{})
	if err != nil || len(found) != 1 || found[0].Outcome != "partial" || found[0].OrderState != "gone" || found[0].SignID != order.SignID {
		t.Error(found, err)
	}
}

func TestADownloadIsComparedWithTheOriginals(t *testing.T) {
	server := sandboxOf(t, "production")
	client := server.client(nil)
	ctx := context.Background()
	path := filepath.Join(os.Getenv("SAMPLES"), "loan-agreement.pdf")
	loan, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := append(append([]byte{}, loan...), '\n')
	for name, originals := range map[string][]Document{
		"file": {File(path)}, "reader": {Reader(bytes.NewReader(loan), -1, "loan-agreement")},
		"other": {Bytes(other, "loan-agreement")}, "broken": {Reader(iotest.ErrReader(io.ErrUnexpectedEOF), -1, "")},
	} {
		order, err := client.CreateOrder(ctx, Pades, []OrderDocument{{PDF: File(path)}}, OrderOptions{Name: "o"})
		if err != nil {
			t.Fatal(err)
		}
		server.control("POST", "/_sandbox/orders/"+order.SignID+"/sign", nil)
		folder := t.TempDir()
		// Only the reference is known, so that the originals are all there is to compare with.
		known := &Order{Kind: Pades, SignID: order.SignID}
		download, err := client.DownloadOrder(ctx, known, DownloadOptions{To: folder, Originals: originals})
		switch name {
		case "other":
			told := failure(t, err, CodeDigestMismatch)
			if told.Details["field"] != "unsignedDocumentSha256" || told.Download == nil {
				t.Error(name, told.Details, told.Download)
			}
		case "broken":
			failure(t, err, CodeCallbackFailed)
			if !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Error(name, err)
			}
			if state, err := client.OrderState(ctx, order, CallOptions{}); err != nil || state.Name != "SIGN_COMPLETED" {
				t.Error(name, state, err)
			}
		default:
			if err != nil {
				t.Fatal(name, err)
			}
			if found := download.Documents[0].Document.Path; found != filepath.Join(folder, "loan-agreement.pdf") {
				t.Error(name, found)
			}
		}
	}
}

func TestAnOrderTellsHowLongItLives(t *testing.T) {
	server := sandboxOf(t, "production")
	client := server.client(nil)
	ctx := context.Background()
	order, err := client.CreateOrder(ctx, Sdo, []OrderDocument{{Text: Ptr("one")}}, OrderOptions{Name: "o"})
	if err != nil {
		t.Fatal(err)
	}
	offset := func(seconds int) {
		if err := client.SetClockOffset(time.Duration(seconds) * time.Second); err != nil {
			t.Fatal(err)
		}
	}
	// Wide enough for a machine that stands still for a while.
	lives := func(order *Order, seconds int) {
		t.Helper()
		most := time.Duration(seconds) * time.Second
		if left, known := order.ExpiresIn(); !known || left > most || left < most-25*time.Second {
			t.Errorf("%v, %v instead of %v", left, known, most)
		}
	}
	lives(order, 90)
	again, err := client.LoadOrder(order.Saved)
	if err != nil || again.SignID != order.SignID || again.Kind != Sdo || again.Saved != order.Saved {
		t.Fatal(again, err)
	}
	offset(50)
	lives(order, 40)
	lives(again, 40)
	server.control("POST", "/_sandbox/orders/"+order.SignID+"/sign", nil)
	if _, err = client.OrderState(ctx, order, CallOptions{}); err != nil {
		t.Fatal(err)
	}
	lives(order, 90) // after the signing, which the other one has not been told of
	lives(again, 40)
	offset(200)
	if left, known := order.ExpiresIn(); left != 0 || !known {
		t.Error(left, known)
	}
	if left, known := (&Order{Kind: Sdo, SignID: order.SignID}).ExpiresIn(); left != 0 || known {
		t.Error(left, known)
	}
	_, err = client.LoadOrder("{}")
	failure(t, err, CodeInvalidArgument)
}

// A caller who goes away does not take the only copy with him.
func TestADownloadThatIsCancelledIsReceived(t *testing.T) {
	server := sandboxOf(t, "production")
	client := server.client(nil)
	loan := File(filepath.Join(os.Getenv("SAMPLES"), "loan-agreement.pdf"))
	order, err := client.CreateOrder(context.Background(), Pades, []OrderDocument{{PDF: loan}}, OrderOptions{Name: "o"})
	if err != nil {
		t.Fatal(err)
	}
	server.control("POST", "/_sandbox/orders/"+order.SignID+"/sign", nil)
	slow := map[string]any{"kind": "slow", "step_bytes": 1024, "pause_ms": 100}
	server.fault(map[string]any{"method": "DELETE", "fault": slow})
	ctx, cancel := context.WithCancel(context.Background())
	folder := t.TempDir()
	_, err = client.DownloadOrder(ctx, order, DownloadOptions{To: folder, CallOptions: CallOptions{
		Progress: func(now Progress) {
			if now.Received > 0 {
				cancel()
			}
		},
	}})
	told := failure(t, err, CodeReceptionContinues)
	if !errors.Is(err, context.Canceled) || told.Retryable || !strings.Contains(told.Message, folder) {
		t.Error(told)
	}
	if DownloadsReceiving() != 1 {
		t.Error(DownloadsReceiving())
	}
	if err := FinishDownloads(context.Background()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "loan-agreement.pdf")); err != nil {
		t.Error(err)
	}
}
