# Counts words, the slow way: a linear search for each.

class Words
  def initialize
    @entries = []
  end

  def find(word)
    entry = @entries.find { |entry| entry[0] == word }
    @entries << (entry = [word, 0]) unless entry
    entry
  end

  def count(text)
    text.split.each { |word| find(word.downcase)[1] += 1 }
    @entries.size
  end
end

text = (0...3000).map { |i| "word#{i % 97} Word#{i % 13}" }.join(' ')
puts Words.new.count(text)
