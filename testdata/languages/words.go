// Counts words, the slow way: a linear search for each.
package main

import (
	"fmt"
	"os"
	"runtime/pprof"
	"strings"
)

type entry struct {
	word  string
	count int
}

func find(words []entry, word string) int {
	for i := range words {
		if words[i].word == word {
			return i
		}
	}
	return -1
}

func count(text string) []entry {
	var words []entry
	for _, word := range strings.Fields(text) {
		word = strings.ToLower(word)
		i := find(words, word)
		if i < 0 {
			i = len(words)
			words = append(words, entry{word, 0})
		}
		words[i].count++
	}
	return words
}

func main() {
	file, err := os.Create("words.prof")
	if err != nil {
		panic(err)
	}
	pprof.StartCPUProfile(file)
	defer pprof.StopCPUProfile()
	var text strings.Builder
	for i := 0; i < 100000; i++ {
		fmt.Fprintf(&text, "word%d Word%d ", i%997, i%13)
	}
	words := 0
	for i := 0; i < 10; i++ {
		words += len(count(text.String()))
	}
	fmt.Println(words)
}
