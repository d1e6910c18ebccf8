%% Counts words, the slow way: a linear search for each.
-module(words).
-export([main/0, count/1]).

find(Word, [{Word, N} | Rest]) -> [{Word, N + 1} | Rest];
find(Word, [Entry | Rest]) -> [Entry | find(Word, Rest)];
find(Word, []) -> [{Word, 1}].

count(Text) ->
    Words = string:tokens(Text, " "),
    lists:foldl(fun(Word, Entries) -> find(string:lowercase(Word), Entries) end, [], Words).

main() ->
    Texts = ["word" ++ integer_to_list(I rem 17) || I <- lists:seq(1, 60)],
    length(count(lists:append(lists:join(" ", Texts)))).
