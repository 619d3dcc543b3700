package signdoc

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// orderCase is one of tests/vectors/orders.json, whose README explains the keys.
type orderCase struct {
	setting
	Kind  string
	Order struct {
		Name              string
		Results           []string
		DisplayMode       string `json:"display_mode"`
		ShowConfirmation  *bool  `json:"show_confirmation"`
		ShowUnderstanding *bool  `json:"show_understanding"`
		TimeoutSeconds    *int   `json:"timeout_seconds"`
		VisualSeals       bool   `json:"visual_seals"`
		Strict            bool
		Documents         []struct {
			Sample, Bytes, Description string
			Text, XML, XLS             *string

			PDFSpec      string `json:"pdf_spec"`
			EndUserOnly  *bool  `json:"end_user_only"`
			MerchantSeal *Seal  `json:"merchant_seal"`
			EndUserSeal  *Seal  `json:"end_user_seal"`
		}
	}
	User, By, Then string
	Memory, Force  bool
	Advance        int
	Until          []string
	RedirectURI    string `json:"redirect_uri"`
	Action         string
	Callback       string
	Expect         struct {
		Error         map[string]any
		Details       map[string]any
		Message       []string
		Requests      map[string]int
		State         string
		Identity      bool
		OrderName     string `json:"order_name"`
		OrderState    string `json:"order_state"`
		Conversions   []map[string]any
		Documents     []map[string]any
		Sent          map[string]any
		SentDocuments []map[string]any `json:"sent_documents"`
		ErrorOrder    *bool            `json:"error_order"`
		RawAnswer     *bool            `json:"raw_answer"`
	}
}

// orderFound is what came of a case.
type orderFound struct {
	order    *Order
	state    State
	identity *Identity
	download *Download
}

func TestOrderVectors(t *testing.T) {
	eachCase(t, "orders", func(t *testing.T, server *sandbox, one orderCase) { one.run(t, server) })
}

func (c *orderCase) run(t *testing.T, server *sandbox) {
	found := &orderFound{}
	err := c.goOn(t, server, server.client(c.Options), found)
	var conversions []Conversion
	if found.order != nil {
		conversions = found.order.Conversions
	}
	if err != nil {
		told := checkTold(t, err, c.Expect.Error, c.Expect.Details, c.Expect.Message)
		if found.order == nil {
			conversions = told.Results
		}
		if found.download == nil {
			found.download = told.Download
		}
		c.checkKept(t, told)
	} else if c.Expect.Error != nil {
		t.Error("no error came")
	}
	if c.Expect.State != "" && found.state.Name != c.Expect.State {
		t.Error(found.state)
	}
	if c.Expect.Identity && (found.identity == nil || found.identity.SignID != found.order.SignID || found.identity.Subject == "") {
		t.Error(found.identity)
	}
	c.checkConversions(t, conversions)
	c.checkDownload(t, found.download)
	c.checkRequests(t, server)
}

func (c *orderCase) goOn(t *testing.T, server *sandbox, client *Client, found *orderFound) error {
	ctx := context.Background()
	kind := Pades
	if c.Kind == "sdo" {
		kind = Sdo
	}
	order, err := client.CreateOrder(ctx, kind, c.documents(), OrderOptions{
		Name: c.Order.Name, DisplayMode: c.Order.DisplayMode, Results: c.Order.Results,
		ShowConfirmation: c.Order.ShowConfirmation, ShowUnderstanding: c.Order.ShowUnderstanding,
		VisualSeals: c.Order.VisualSeals, Strict: c.Order.Strict, TimeoutSeconds: c.Order.TimeoutSeconds,
	})
	if err != nil {
		return err
	}
	found.order = order
	if c.User != "" {
		server.control("POST", "/_sandbox/orders/"+order.SignID+"/"+c.User, nil)
	}
	if c.Advance > 0 {
		server.control("POST", "/_sandbox/clock", map[string]int{"advance_seconds": c.Advance})
		if err := client.SetClockOffset(time.Duration(c.Advance) * time.Second); err != nil {
			t.Fatal(err)
		}
	}
	if c.By == "sign_id" {
		order = &Order{Kind: kind, SignID: order.SignID}
	}
	switch c.Then {
	case "":
	case "state":
		found.state, err = client.OrderState(ctx, order, CallOptions{})
	case "wait":
		found.state, err = client.WaitForOrder(ctx, order, c.Until, CallOptions{})
	case "download":
		to := ""
		if !c.Memory {
			to = t.TempDir()
		}
		found.download, err = client.DownloadOrder(ctx, order, DownloadOptions{To: to, Force: c.Force})
	case "discard":
		found.download, err = client.DiscardOrder(ctx, order, CallOptions{})
	case "login":
		var login *Login
		if login, err = client.BeginLogin(ctx, order, c.RedirectURI, LoginOptions{}); err != nil {
			return err
		}
		callback := cameBack(server.visit(login.URL, c.Action), c.Callback)
		found.identity, err = client.FinishLogin(ctx, login.Token, callback, CallOptions{})
	default:
		t.Fatal(c.Then)
	}
	return err
}

func (c *orderCase) documents() []OrderDocument {
	made := []OrderDocument{}
	for _, one := range c.Order.Documents {
		document := OrderDocument{
			Text: one.Text, XML: one.XML, XLS: one.XLS, Description: one.Description,
			PDFSpec: one.PDFSpec, EndUserOnly: one.EndUserOnly,
			MerchantSeal: one.MerchantSeal, EndUserSeal: one.EndUserSeal,
		}
		if one.Sample != "" {
			document.PDF = File(filepath.Join(os.Getenv("SAMPLES"), one.Sample))
		} else if one.Bytes != "" {
			document.PDF = Bytes([]byte(one.Bytes), "")
		}
		made = append(made, document)
	}
	return made
}

func (c *orderCase) checkConversions(t *testing.T, conversions []Conversion) {
	t.Helper()
	if c.Expect.Conversions == nil {
		return
	}
	if len(conversions) != len(c.Expect.Conversions) {
		t.Fatalf("%d conversions: %+v", len(conversions), conversions)
	}
	for i, wanted := range c.Expect.Conversions {
		one := conversions[i]
		sameFields(t, wanted, map[string]any{
			"index": float64(one.Index), "converted": one.Converted, "errors": names(one.Errors),
		})
	}
}

// checkKept checks what a failure has kept: the order, and the answer that could not be taken apart.
func (c *orderCase) checkKept(t *testing.T, told *Error) {
	t.Helper()
	if wanted := c.Expect.ErrorOrder; wanted != nil && (told.Order != nil && told.Order.SignID != "") != *wanted {
		t.Error(told.Order)
	}
	path, _ := told.Details["raw_answer"].(string)
	_, err := os.Stat(path)
	if wanted := c.Expect.RawAnswer; wanted != nil && (len(told.RawAnswer) > 0 || err == nil) != *wanted {
		t.Error(path, len(told.RawAnswer))
	}
}

func (c *orderCase) checkDownload(t *testing.T, download *Download) {
	t.Helper()
	if c.Expect.OrderName != "" && (download == nil || download.OrderName != c.Expect.OrderName || download.OrderState != c.Expect.OrderState) {
		t.Fatal(download)
	}
	if c.Expect.Documents == nil {
		return
	}
	if download == nil || len(download.Documents) != len(c.Expect.Documents) {
		t.Fatal(download)
	}
	for i, wanted := range c.Expect.Documents {
		one := download.Documents[i]
		sameFields(t, wanted, map[string]any{
			"index": float64(i), "description": one.Description, "signed_check": one.SignedCheck,
			"unsigned_check": one.UnsignedCheck, "hash_check": one.UnsignedCheck,
		})
	}
}

// checkRequests looks at the request that created the order, and counts those of each kind.
func (c *orderCase) checkRequests(t *testing.T, server *sandbox) {
	t.Helper()
	var seen struct {
		Requests []struct {
			Method, Path string
			Body         json.RawMessage
		}
	}
	if err := json.Unmarshal(server.control("GET", "/_sandbox/requests", nil), &seen); err != nil {
		t.Fatal(err)
	}
	path := map[string]string{"pades": "/signdoc/pades", "sdo": "/signdoc"}[c.Kind]
	counts := map[string]int{}
	var sent map[string]any
	for _, one := range seen.Requests {
		request := one.Method + " " + one.Path
		_, named := c.Expect.Requests[request]
		if named || strings.HasPrefix(one.Path, "/signdoc") {
			counts[request]++
		}
		if request == "POST "+path {
			if err := json.Unmarshal(one.Body, &sent); err != nil {
				t.Error(err)
			}
		}
	}
	if c.Expect.Requests != nil && !reflect.DeepEqual(counts, c.Expect.Requests) {
		t.Error(counts)
	}
	sameDocuments(t, c.Expect.SentDocuments, sent)
	delete(sent, "documents")
	if c.Expect.Sent != nil && !reflect.DeepEqual(sent, c.Expect.Sent) {
		t.Error(sent)
	}
}

// sameDocuments compares the documents of a request, as far as a case names them.
func sameDocuments(t *testing.T, wanted []map[string]any, sent map[string]any) {
	t.Helper()
	documents, _ := sent["documents"].([]any)
	if len(documents) < len(wanted) {
		t.Fatal(len(documents))
	}
	for i, one := range wanted {
		sameFields(t, one, documents[i].(map[string]any))
	}
}

func sameFields(t *testing.T, wanted, found map[string]any) {
	t.Helper()
	for key, value := range wanted {
		if !reflect.DeepEqual(found[key], value) {
			t.Errorf("%s is %v, not %v", key, found[key], value)
		}
	}
}

func TestADocumentHasOneContent(t *testing.T) {
	server := sandboxOf(t, "production")
	client := server.client(nil)
	for _, one := range []OrderDocument{
		{}, {PDF: Bytes([]byte(pdf), ""), Text: Ptr("t")}, {Text: Ptr(""), XML: Ptr("<a/>")}, {XLS: Ptr("<a/>")},
	} {
		_, err := client.CreateOrder(context.Background(), Sdo, []OrderDocument{one}, OrderOptions{Name: "o"})
		failure(t, err, CodeContentKind)
	}
	_, err := client.CreateOrder(context.Background(), Sdo, []OrderDocument{{PDF: File("")}}, OrderOptions{Name: "o"})
	if told := (*Error)(nil); !errors.As(err, &told) {
		t.Error(err)
	}
}
