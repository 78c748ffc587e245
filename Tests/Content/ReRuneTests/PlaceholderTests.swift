import Testing

@testable import ReRune

@Suite struct PlaceholderTests {
  @Test(arguments: [
    ("%d items", "%d Dinge"), ("%d", "%i"), ("%@ has %d", "%1$@ hat %2$d"), ("%1$@ %2$d", "%2$d %1$@"), ("no", "kein"),
    ("100%%", "%%"), ("%.2f", "%10.3e"), ("%5d", "%-05d"), ("%ld", "%ld"), ("%*d", "%*d"),
    ("%1$@ and %1$@", "%1$@ und %1$@"),
    ("%s", "%s"), ("100%", "fast 100%"), ("a", "%"), ("50%\u{7684}", "50%"), ("%x", "%u"), ("%lld%%", "%lld %%"),
    ("%b", "so %b"), ("%1000$d x", "y %1000$d"), ("%999d", "%d"), ("%.999f", "%f"),
  ])
  func equal(one: String, other: String) { #expect(Placeholders(one) == Placeholders(other)) }

  @Test(arguments: [
    ("%d", "%s"), ("%d", "%@"), ("%d", "%d %d"), ("%d", ""), ("", "%d"), ("%d", "%ld"), ("%d", "%u"),
    ("%d %@", "%@ %d"),
    ("%1$@ %2$d", "%1$d %2$@"), ("%d", "%n"), ("%d", "%*d"), ("%f", "%d"), ("%f", "%Lf"), ("%@", "%s"),
    ("%1$d", "%2$d"),
    ("%d", "%d%"), ("%d", "%%d"), ("%c", "%C"), ("%p", "%s"), ("%d", "%999$d"), ("%.*f", "%f"),
    ("%1$@", "%1$@ %1$s"), ("%d", "%\u{301}d"),
    // Some libraries take these for placeholders.
    ("%1000$d", "%2000$d"), ("%1000$d", "%"), ("%b", "%"), ("%b", "%B"), ("%b %d", "%d %b"), ("%0$d", "%d"),
    // Nobody has room for such a field.
    ("%d", "%2000000000d"), ("%f", "%.2000000000f"),
  ])
  func different(one: String, other: String) { #expect(Placeholders(one) != Placeholders(other)) }
}
