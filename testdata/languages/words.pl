# Counts words, the slow way: a linear search for each.
package Words;

sub new { return bless { entries => [] }, shift }

sub find {
    my ($self, $word) = @_;
    for my $entry (@{$self->{entries}}) {
        return $entry if $entry->[0] eq $word;
    }
    push @{$self->{entries}}, [$word, 0];
    return $self->{entries}[-1];
}

sub count {
    my ($self, $text) = @_;
    $self->find(lc $_)->[1]++ for split / /, $text;
    return scalar @{$self->{entries}};
}

package main;

my @sorted = sort { $a <=> $b } map { my $i = $_; (sub { $i % 7 })->() } 1 .. 20;
print Words->new->count(join ' ', map { "word" . ($_ % 97) . " Word" . ($_ % 13) } 0 .. 2999), "\n";
