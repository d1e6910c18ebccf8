// Counts words, the slow way: a linear search for each.
"use strict";

class Words {
  constructor() { this.entries = []; }
  find(word) {
    for (const entry of this.entries) {
      if (entry[0] === word) return entry;
    }
    this.entries.push([word, 0]);
    return this.entries.at(-1);
  }
  count(text) {
    text.split(" ").forEach(word => { this.find(word.toLowerCase())[1]++; });
    return this.entries.length;
  }
}

Words.prototype.most = function () {
  return this.entries.reduce((a, b) => (a[1] < b[1] ? b : a));
};

const text = Array.from({ length: 300000 }, (_, i) => `word${i % 97} Word${i % 13}`).join(" ");
const words = new Words();
console.log(words.count(text), words.most());
