package import TesseraFleet
internal import TesseraThreads

/// Which documents the desks of one process read, and how. All desks take from one plan. It has no end until one is set.
package final class LoadPlan: Sendable {
  /// One read.
  package struct Assignment: Sendable {
    package let readID: FleetReadID
    package let document: LoadDocument
    package let mode: FleetReadingMode
  }

  private struct State {
    var next: Int
    /// The number of reads, those of the journal included; nil while there is no end.
    var end: Int?
    /// By desk: an unfinished read is repeated by the desk that began it.
    var unfinished: [String: [LoadEntry]]
  }
  private let documents: [LoadDocument]
  private let offset: Int
  private let remotePercent: Int
  private let state: Locked<State>

  /// - Parameters:
  ///   - offset: the document with which the plan begins; another one in each process.
  ///   - remotePercent: the share of remote reads.
  ///   - journal: what an earlier process of this plan did.
  package init(
    _ documents: [LoadDocument], offset: Int = 0, remotePercent: Int, after journal: [LoadEntry] = []
  ) {
    self.documents = documents
    self.offset = offset
    self.remotePercent = remotePercent
    let began = journal.filter { $0.event == .began }
    let ended = Set(journal.filter { $0.event != .began }.map(\.read))
    var seen: Set<FleetReadID> = []
    let unfinished = began.filter { !ended.contains($0.read) && seen.insert($0.read).inserted }
    state = Locked(
      State(next: Set(began.map(\.read)).count, unfinished: Dictionary(grouping: unfinished, by: \.desk)))
  }

  /// Ends after so many reads, those of the journal included, or after those that have begun.
  package func end(after reads: Int) { state.withLock { $0.end = reads } }

  /// The next read of a desk; nil if there is nothing left for it.
  package func next(for desk: DeskName) throws -> Assignment? {
    let (entry, number) = state.withLock { state -> (LoadEntry?, Int?) in
      if let entry = state.unfinished[desk.text]?.popLast() { return (entry, nil) }
      guard state.next < state.end ?? .max else { return (nil, nil) }
      defer { state.next += 1 }
      return (nil, state.next)
    }
    if let entry {
      guard let document = documents.first(where: { $0.profile.name == entry.profile }) else { return nil }
      return Assignment(readID: entry.read, document: document, mode: entry.mode)
    }
    guard let number else { return nil }
    // Each further round over the documents shifts the share, so that every document is read in both ways.
    let round = number / documents.count
    let isRemote = (number * 37 + round * 11) % 100 < remotePercent
    return Assignment(
      readID: try .random(), document: documents[(offset + number) % documents.count],
      mode: isRemote ? .remote : .witnessed)
  }
}
