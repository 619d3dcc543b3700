// The conversion job with Go's net/http, encoding/json and encoding/base64.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"
)

type document struct {
	Spec string `json:"pdfSpec"`
	PDF  []byte `json:"pdf"`
}

type result struct {
	Document []byte `json:"convertedDocument"`
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// User and system time of the whole process in milliseconds.
func cpu() float64 {
	var used syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e6
}

func status(key string) int {
	text, err := os.ReadFile("/proc/self/status")
	must(err)
	for _, line := range strings.Split(string(text), "\n") {
		if rest, found := strings.CutPrefix(line, key+":"); found {
			number, err := strconv.Atoi(strings.Fields(rest)[0])
			must(err)
			return number
		}
	}
	must(fmt.Errorf("no %s", key))
	return 0
}

func output(out, file string) string {
	name := filepath.Base(file)
	return filepath.Join(out, strings.TrimSuffix(name, filepath.Ext(name))+".pdf")
}

func convert(url, token, out string, files []string) {
	documents := make([]document, len(files))
	for i, file := range files {
		pdf, err := os.ReadFile(file)
		must(err)
		documents[i] = document{"PDFA_2B", pdf}
	}
	body, err := json.Marshal(map[string]any{"documents": documents})
	must(err)
	request, err := http.NewRequest("POST", url+"/signdoc/convert", bytes.NewReader(body))
	must(err)
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	must(err)
	answer, err := io.ReadAll(response.Body)
	must(err)
	must(response.Body.Close())
	if response.StatusCode != 200 {
		must(fmt.Errorf("status %d", response.StatusCode))
	}
	var results []result
	must(json.Unmarshal(answer, &results))
	for i, file := range files {
		must(os.WriteFile(output(out, file), results[i].Document, 0o600))
	}
}

func median(laps []float64) float64 {
	sort.Float64s(laps)
	return laps[len(laps)/2]
}

func main() {
	flags := flag.NewFlagSet("convert", flag.ExitOnError)
	url := flags.String("url", "", "")
	token := flags.String("token", "bench-token", "")
	out := flags.String("out", ".", "")
	repeat := flags.Int("repeat", 1, "")
	must(flags.Parse(os.Args[2:]))
	files := flags.Args()
	// Where it may not be set back the peak can only be too high.
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
	before := status("VmRSS")
	begun, used := time.Now(), cpu()
	var walls, cpus []float64
	for range *repeat {
		lap, lapCPU := time.Now(), cpu()
		convert(*url, *token, *out, files)
		walls = append(walls, float64(time.Since(lap).Nanoseconds())/1e6)
		cpus = append(cpus, cpu()-lapCPU)
	}
	report := map[string]any{
		"program": "Go net/http", "documents": len(files),
		"wall_ms": float64(time.Since(begun).Nanoseconds()) / 1e6, "cpu_ms": cpu() - used,
		"rss_before_kib": before, "peak_kib": status("VmHWM"),
	}
	if *repeat > 1 {
		report["calls"] = *repeat
		report["first_wall_ms"], report["first_cpu_ms"] = walls[0], cpus[0]
		report["call_wall_ms"], report["call_cpu_ms"] = median(walls[1:]), median(cpus[1:])
	}
	hashes := make([]string, len(files))
	for i, file := range files {
		pdf, err := os.ReadFile(output(*out, file))
		must(err)
		sum := sha256.Sum256(pdf)
		hashes[i] = hex.EncodeToString(sum[:])
	}
	report["sha256"] = hashes
	must(json.NewEncoder(os.Stdout).Encode(report))
}
