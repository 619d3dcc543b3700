package signdoc

/*
#include <stdlib.h>
#include <signdoc.h>
*/
import "C"

import (
	"context"
	"encoding/json"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unsafe"
)

// Kind is a kind of order.
type Kind int32

// The kinds: signed PDFs (marked outdated by the interface specification), and signed data objects
// (marked deprecated).
const (
	Pades Kind = C.SIGNDOC_ORDER_PADES
	Sdo   Kind = C.SIGNDOC_ORDER_SDO
)

// Seal is where a visual seal stands: points, and a page from 1.
type Seal struct {
	X, Y float64
	Page int64
}

// OrderDocument is a document to be signed: a PDF, or for orders of signed data objects also a
// text, or XML with the stylesheet that shows it. It has exactly one of them. What the other kind of
// order has alone is refused.
type OrderDocument struct {
	PDF Document
	// Text is a text to be signed, see Ptr; an empty one is one, too. A text that ISO-8859-1 cannot
	// hold is sent with a warning in the log; the service may refuse it.
	Text     *string
	XML, XLS *string

	Description string
	// PDFSpec asks for a conversion first, for PAdES: "PDFA_2B".
	PDFSpec                   string
	MerchantSeal, EndUserSeal *Seal
	// EndUserOnly says whether the end user signs alone, for PAdES; nil: the service's default.
	EndUserOnly *bool
}

// Ptr gives a pointer to a value, for fields that may be left out.
func Ptr[T any](value T) *T { return &value }

// OrderOptions are the properties of an order; what is not set is not sent.
type OrderOptions struct {
	Name                                string
	DisplayMode                         string
	ShowConfirmation, ShowUnderstanding *bool
	// TimeoutSeconds is how long the user may take to sign, above 0; nil: the service's default,
	// which is 1800.
	TimeoutSeconds *int
	// VisualSeals has seals drawn, for PAdES.
	VisualSeals bool
	// Strict has CreateOrder fail where a document of a PAdES order was not converted although the
	// order exists, which is then in Error.Order.
	Strict bool
	// Results are what is handed out, such as "padesSignedPdf" or "sdo"; nil: signed documents and
	// digests.
	Results []string
	CallOptions
}

// Order is an order the service has, or what is known of it.
type Order struct {
	Kind   Kind
	SignID string
	// Conversions is what conversion gave, where it was asked for.
	Conversions []Conversion
	// Saved is the order as JSON, for another process, see LoadOrder; empty where only the reference
	// is known.
	Saved string
	// known is shared by copies.
	known *knownOrder
}

// knownOrder is what this process knows of an order, which is freed with the last Order that has it.
type knownOrder struct{ handle *C.signdoc_order }

func orderOf(made *C.signdoc_order) *Order {
	known := &knownOrder{made}
	runtime.SetFinalizer(known, func(known *knownOrder) { C.signdoc_order_free(known.handle) })
	order := lentOrder(made)
	order.known = known
	return order
}

// lentOrder copies what C knows of an order, which stays C's; nil where there is none.
func lentOrder(from *C.signdoc_order) *Order {
	if from == nil {
		return nil
	}
	return &Order{
		Kind:        Kind(C.signdoc_order_kind(from)),
		SignID:      C.GoString(C.signdoc_order_sign_id(from)),
		Conversions: conversionsOf(C.signdoc_order_conversions(from)),
		Saved:       C.GoString(C.signdoc_order_json(from)),
	}
}

// ExpiresIn is how long the order still lives, as far as it is known here: 90 seconds until signing
// starts; the signing time once this client has seen that it started; 90 seconds once it has seen
// the order completed. 0 when that has passed. Nothing is known of an order that neither CreateOrder
// nor LoadOrder gave.
func (o *Order) ExpiresIn() (left time.Duration, known bool) {
	if o.known == nil {
		return 0, false
	}
	ms := C.signdoc_order_expires_in_ms(o.known.handle)
	runtime.KeepAlive(o.known)
	return time.Duration(ms) * time.Millisecond, ms >= 0
}

// LoadOrder gives an order that another process has created, from what Saved was there: its windows,
// names and digests are known here as well.
//
// Errors: CodeInvalidArgument where saved is something else.
func (c *Client) LoadOrder(saved string) (*Order, error) {
	c.lock.RLock()
	defer c.lock.RUnlock()
	if c.handle == nil {
		return nil, closed()
	}
	text := C.CString(saved)
	defer C.free(unsafe.Pointer(text))
	var found *C.signdoc_order
	var failure *C.signdoc_error
	code := C.signdoc_order_from_json(c.handle, text, &found, &failure)
	if err := taken(code, failure); err != nil {
		return nil, err
	}
	return orderOf(found), nil
}

// State is a state of an order.
type State struct {
	// Name may be one that the specification does not have.
	Name string
	// Final says whether the order changes no more by itself.
	Final bool
}

// Download is what a completed order brought.
type Download struct {
	SignID, ClientID      string
	OrderName, OrderState string
	Documents             []Signed
}

// Signed is one signed document: the signed PDF or signed data object, what signing appended to
// the PDF, and the signatures (CMS) of a data object. A part is in memory or in a file.
type Signed struct {
	Document, Appendix, MerchantSignature, EndUserSignature Part
	Description                                             string
	// SignedSHA256 and UnsignedSHA256 are as the service states them, in base64.
	SignedSHA256, UnsignedSHA256 string
	// SignedCheck and UnsignedCheck say whether they are those of what came and of what was sent:
	// "matches", "differs" or "not_compared".
	SignedCheck, UnsignedCheck string
}

// Part is a part of a result; both are empty where it did not come.
type Part struct {
	Data []byte
	Path string
}

// DownloadOptions say how results are downloaded.
type DownloadOptions struct {
	// To is the folder the results go to. In a folder nothing that arrived is lost, not by a crash
	// either. Empty: into memory, which cannot promise that.
	To        string
	Overwrite bool
	// Force downloads, and so ends, an order that is not final.
	Force bool
	// Originals are the documents that were sent, in their order, to compare digests with and to
	// name files after, where they were not converted; not needed for an order that CreateOrder or
	// LoadOrder gave.
	Originals []Document
	CallOptions
}

// CreateOrder creates a sign order. The end user must come to sign within 90 seconds. Documents
// that were not converted, as in the testing environment, are told by the order's Conversions.
func (c *Client) CreateOrder(ctx context.Context, kind Kind, documents []OrderDocument, options OrderOptions) (*Order, error) {
	c.lock.RLock()
	defer c.lock.RUnlock()
	if c.handle == nil {
		return nil, closed()
	}
	var keep keeper
	defer keep.free()
	trouble := &caught{}
	given, err := keep.orderDocuments(documents, trouble)
	if err != nil {
		return nil, err
	}
	request, err := keep.request(options)
	if err != nil {
		return nil, err
	}
	var made *C.signdoc_order
	err = call(ctx, options.CallOptions, trouble, func(view *C.signdoc_call, failure **C.signdoc_error) C.int32_t {
		return C.signdoc_order_create(c.handle, C.int32_t(kind), request, given, options.timeoutMS(), view, &made, failure)
	})
	if err != nil {
		return nil, err
	}
	return orderOf(made), nil
}

// about makes a call about an order.
func (c *Client) about(ctx context.Context, order *Order, options CallOptions,
	work func(known *C.signdoc_order, view *C.signdoc_call, failure **C.signdoc_error) C.int32_t) error {
	return c.aboutWith(ctx, order, options, &caught{}, work)
}

func (c *Client) aboutWith(ctx context.Context, order *Order, options CallOptions, trouble *caught,
	work func(known *C.signdoc_order, view *C.signdoc_call, failure **C.signdoc_error) C.int32_t) error {
	c.lock.RLock()
	defer c.lock.RUnlock()
	if c.handle == nil {
		return closed()
	}
	var keep keeper
	defer keep.free()
	known, err := keep.order(c, order)
	if err != nil {
		return err
	}
	return call(ctx, options, trouble, func(view *C.signdoc_call, failure **C.signdoc_error) C.int32_t {
		return work(known, view, failure)
	})
}

func (k *keeper) order(client *Client, order *Order) (*C.signdoc_order, error) {
	if order.known != nil {
		k.later(func() { runtime.KeepAlive(order.known) })
		return order.known.handle, nil
	}
	var known *C.signdoc_order
	var failure *C.signdoc_error
	var code C.int32_t
	if order.Saved != "" {
		code = C.signdoc_order_from_json(client.handle, k.text(order.Saved), &known, &failure)
	} else {
		sign := C.CString(order.SignID)
		k.later(func() { C.free(unsafe.Pointer(sign)) })
		code = C.signdoc_order_of(C.int32_t(order.Kind), sign, &known, &failure)
	}
	if err := taken(code, failure); err != nil {
		return nil, err
	}
	k.later(func() { C.signdoc_order_free(known) })
	return known, nil
}

// OrderState asks for the state of an order.
func (c *Client) OrderState(ctx context.Context, order *Order, options CallOptions) (State, error) {
	var found C.signdoc_buffer
	var final C.int32_t
	err := c.about(ctx, order, options, func(known *C.signdoc_order, view *C.signdoc_call, failure **C.signdoc_error) C.int32_t {
		return C.signdoc_order_state(c.handle, known, options.timeoutMS(), view, &found, &final, failure)
	})
	return stateOf(&found, final, err)
}

// WaitForOrder waits until the order is final, or in one of the states.
func (c *Client) WaitForOrder(ctx context.Context, order *Order, until []string, options CallOptions) (State, error) {
	var keep keeper
	defer keep.free()
	var found C.signdoc_buffer
	var final C.int32_t
	states := keep.text(strings.Join(until, ","))
	err := c.about(ctx, order, options, func(known *C.signdoc_order, view *C.signdoc_call, failure **C.signdoc_error) C.int32_t {
		return C.signdoc_order_wait(c.handle, known, states, options.timeoutMS(), view, &found, &final, failure)
	})
	return stateOf(&found, final, err)
}

func stateOf(found *C.signdoc_buffer, final C.int32_t, err error) (State, error) {
	if err != nil {
		return State{}, err
	}
	defer C.signdoc_buffer_free(found)
	return State{Name: textOf(found), Final: final != 0}, nil
}

func textOf(buffer *C.signdoc_buffer) string {
	return C.GoStringN((*C.char)(unsafe.Pointer(buffer.ptr)), C.int(buffer.len))
}

// DownloadOrder downloads the results of a completed order, which deletes the order at the
// service: what comes is the only copy. An error's Download has what arrived whole.
//
// Once the request has left, ctx and the time limit end the waiting, never the reception: the
// error is CodeReceptionContinues and says where the results come. A program that ends then calls
// FinishDownloads first.
func (c *Client) DownloadOrder(ctx context.Context, order *Order, options DownloadOptions) (*Download, error) {
	var keep keeper
	defer keep.free()
	folder := keep.text(options.To)
	flags := C.uint32_t(0)
	if options.Force {
		flags |= C.SIGNDOC_DOWNLOAD_FORCE
	}
	if options.Overwrite {
		flags |= C.SIGNDOC_DOWNLOAD_OVERWRITE
	}
	trouble := &caught{}
	var originals *C.signdoc_documents
	if len(options.Originals) > 0 {
		given, err := keep.documents(options.Originals, trouble)
		if err != nil {
			return nil, err
		}
		originals = given
	}
	var found *C.signdoc_download
	err := c.aboutWith(ctx, order, options.CallOptions, trouble, func(known *C.signdoc_order, view *C.signdoc_call, failure **C.signdoc_error) C.int32_t {
		return C.signdoc_order_download(c.handle, known, folder, originals, flags, options.timeoutMS(), view, &found, failure)
	})
	if err != nil {
		return nil, err
	}
	defer C.signdoc_download_free(found)
	return downloadOf(found), nil
}

// DiscardOrder ends an order on purpose, with what was signed, and gives the service's last answer
// about it: its state, and results in memory where there were some.
func (c *Client) DiscardOrder(ctx context.Context, order *Order, options CallOptions) (*Download, error) {
	var last *C.signdoc_download
	err := c.about(ctx, order, options, func(known *C.signdoc_order, view *C.signdoc_call, failure **C.signdoc_error) C.int32_t {
		return C.signdoc_order_discard(c.handle, known, options.timeoutMS(), view, &last, failure)
	})
	if err != nil {
		return nil, err
	}
	defer C.signdoc_download_free(last)
	return downloadOf(last), nil
}

// DownloadsReceiving tells how many downloads of this process are being received, waited for or not.
func DownloadsReceiving() int { return int(C.signdoc_downloads_receiving()) }

// FinishDownloads waits until all downloads of this process have been received, at most until ctx
// is done, and gives ctx's error where some have not. It is for the end of a program: the service
// has deleted those orders.
func FinishDownloads(ctx context.Context) error {
	const look = 50 * time.Millisecond
	for C.signdoc_downloads_finish(C.uint64_t(look/time.Millisecond)) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// Recovery is how an interrupted download stands now.
type Recovery struct {
	// Outcome is "complete", "partial", "nothing_arrived", "not_sent", "in_progress" or
	// "unreadable".
	Outcome string
	Kind    string
	SignID  string `json:"sign_id"`
	// OrderState is "gone" where the service does not know the order any more.
	OrderState string `json:"order_state"`
	AskAgain   bool   `json:"ask_again"`
	Journal    string
	RawAnswer  string `json:"raw_answer"`
	// Download and Problem are JSON, as the other languages show them.
	Download, Problem json.RawMessage
}

// Recover lists and finishes the downloads into a folder that were interrupted: every document that
// had arrived whole is in the folder afterwards.
func (c *Client) Recover(ctx context.Context, folder string, options CallOptions) ([]Recovery, error) {
	c.lock.RLock()
	defer c.lock.RUnlock()
	if c.handle == nil {
		return nil, closed()
	}
	path := C.CString(folder)
	defer C.free(unsafe.Pointer(path))
	var told C.signdoc_buffer
	err := call(ctx, options, &caught{}, func(view *C.signdoc_call, failure **C.signdoc_error) C.int32_t {
		return C.signdoc_recover(c.handle, path, options.timeoutMS(), view, &told, failure)
	})
	if err != nil {
		return nil, err
	}
	defer C.signdoc_buffer_free(&told)
	var found []Recovery
	err = json.Unmarshal([]byte(textOf(&told)), &found)
	return found, err
}

func (k *keeper) request(options OrderOptions) (*C.signdoc_order_request, error) {
	made := C.signdoc_order_request_new()
	k.later(func() { C.signdoc_order_request_free(made) })
	set := map[string]string{"name": options.Name}
	for key, on := range map[string]bool{"visual_seals": options.VisualSeals, "strict": options.Strict} {
		if on {
			set[key] = "true"
		}
	}
	if options.DisplayMode != "" {
		set["display_mode"] = options.DisplayMode
	}
	for key, value := range map[string]*bool{
		"show_confirmation": options.ShowConfirmation, "show_understanding": options.ShowUnderstanding,
	} {
		if value != nil {
			set[key] = strconv.FormatBool(*value)
		}
	}
	if options.TimeoutSeconds != nil {
		set["timeout_seconds"] = strconv.Itoa(*options.TimeoutSeconds)
	}
	if options.Results != nil {
		set["results"] = strings.Join(options.Results, ",")
	}
	for key, value := range set {
		property, text := C.CString(key), C.CString(value)
		var failure *C.signdoc_error
		code := C.signdoc_order_request_set(made, property, text, &failure)
		C.free(unsafe.Pointer(property))
		C.free(unsafe.Pointer(text))
		if err := taken(code, failure); err != nil {
			return nil, err
		}
	}
	return made, nil
}

func (k *keeper) orderDocuments(documents []OrderDocument, trouble *caught) (*C.signdoc_documents, error) {
	made := C.signdoc_documents_new()
	k.later(func() { C.signdoc_documents_free(made) })
	for index, document := range documents {
		if err := k.orderDocument(made, C.size_t(index), document, trouble); err != nil {
			return nil, err
		}
	}
	return made, nil
}

func (k *keeper) orderDocument(to *C.signdoc_documents, index C.size_t, document OrderDocument, trouble *caught) error {
	var failure *C.signdoc_error
	code := C.int32_t(C.SIGNDOC_OK)
	if document.PDF.isGiven() {
		if err := k.document(to, document.PDF, trouble); err != nil {
			return err
		}
		if err := allowSigned(to, index, document.PDF); err != nil {
			return err
		}
	} else {
		code = C.signdoc_documents_add_text(to, nil, &failure)
	}
	// Whether they fit together is decided where all languages ask.
	set := map[string]string{}
	for key, value := range map[string]*string{"text": document.Text, "xml": document.XML, "xls": document.XLS} {
		if value != nil {
			set[key] = *value
		}
	}
	for key, value := range map[string]string{"description": document.Description, "pdf_spec": document.PDFSpec} {
		if value != "" {
			set[key] = value
		}
	}
	if document.EndUserOnly != nil {
		set["end_user_only"] = strconv.FormatBool(*document.EndUserOnly)
	}
	for key, value := range set {
		if code == C.SIGNDOC_OK {
			code = C.signdoc_documents_set(to, index, k.text(key), k.anyText(value), &failure)
		}
	}
	seals := map[C.int32_t]*Seal{
		C.SIGNDOC_SEAL_MERCHANT: document.MerchantSeal, C.SIGNDOC_SEAL_END_USER: document.EndUserSeal,
	}
	for whose, seal := range seals {
		if code == C.SIGNDOC_OK && seal != nil {
			code = C.signdoc_documents_set_seal(to, index, whose, C.double(seal.X), C.double(seal.Y), C.int64_t(seal.Page), &failure)
		}
	}
	return taken(code, failure)
}

// downloadOf copies what C knows of a download, which stays C's.
func downloadOf(found *C.signdoc_download) *Download {
	if found == nil {
		return nil
	}
	made := &Download{
		SignID:     C.GoString(C.signdoc_download_sign_id(found)),
		ClientID:   C.GoString(C.signdoc_download_client_id(found)),
		OrderName:  C.GoString(C.signdoc_download_order_name(found)),
		OrderState: C.GoString(C.signdoc_download_order_state(found)),
	}
	checks := checksOf(found)
	for i := C.size_t(0); i < C.signdoc_download_count(found); i++ {
		part := func(which C.int32_t) Part {
			return Part{
				Path: C.GoString(C.signdoc_download_path(found, i, which)),
				Data: bytesOf(C.signdoc_download_data(found, i, which)),
			}
		}
		made.Documents = append(made.Documents, Signed{
			Document:          part(C.SIGNDOC_PART_DOCUMENT),
			Appendix:          part(C.SIGNDOC_PART_APPENDIX),
			MerchantSignature: part(C.SIGNDOC_PART_MERCHANT_SIGNATURE),
			EndUserSignature:  part(C.SIGNDOC_PART_END_USER_SIGNATURE),
			Description:       C.GoString(C.signdoc_download_description(found, i)),
			SignedSHA256:      C.GoString(C.signdoc_download_signed_sha256(found, i)),
			UnsignedSHA256:    C.GoString(C.signdoc_download_unsigned_sha256(found, i)),
			SignedCheck:       checks[i].Signed,
			UnsignedCheck:     checks[i].Unsigned + checks[i].Hash,
		})
	}
	return made
}

// digestChecks are how the comparisons of one document came out; a signed data object has one.
type digestChecks struct {
	Signed   string `json:"signed_check"`
	Unsigned string `json:"unsigned_check"`
	Hash     string `json:"hash_check"`
}

func checksOf(found *C.signdoc_download) []digestChecks {
	var told struct{ Documents []digestChecks }
	err := json.Unmarshal([]byte(C.GoString(C.signdoc_download_json(found))), &told)
	if count := int(C.signdoc_download_count(found)); err != nil || len(told.Documents) != count {
		return make([]digestChecks, count)
	}
	return told.Documents
}
