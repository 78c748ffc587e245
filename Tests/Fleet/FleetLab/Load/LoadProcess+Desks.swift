/// The lines that a process with desks waits for.
extension LoadProcess {
  /// - Parameter endless: whether to read until `end()`; otherwise the number of its reads is its end.
  package func begin(endless: Bool) throws {
    try tell("begin")
    if !endless { try end() }
  }

  /// Ends after its number of reads, or after those that have begun.
  package func end() throws { try tell("end") }
}
