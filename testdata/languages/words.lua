-- Counts words, the slow way: a linear search for each.
local Words = {}
Words.__index = Words

function Words.new() return setmetatable({ entries = {} }, Words) end

function Words:find(word)
  for _, entry in ipairs(self.entries) do
    if entry[1] == word then return entry end
  end
  table.insert(self.entries, { word, 0 })
  return self.entries[#self.entries]
end

function Words:count(text)
  for word in text:gmatch("%a%w*") do
    local entry = self:find(word:lower())
    entry[2] = entry[2] + 1
  end
  return #self.entries
end

local texts = {}
for i = 0, 10 do texts[#texts + 1] = "word" .. i % 5 end
print(Words.new():count(table.concat(texts, " ")))
