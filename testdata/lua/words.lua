local seen, text = {}, {}
for i = 1, 200 do local w = "w" .. i * 7 % 61; seen[w] = (seen[w] or 0) + 1; text[i] = w end
local s = table.concat(text, " ")
local n = 0
for w in s:gmatch("%a%d+") do n = n + seen[w] end
table.sort(text)
print(n, #s:upper())
