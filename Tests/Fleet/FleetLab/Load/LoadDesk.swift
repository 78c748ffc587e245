package import TesseraFleet
internal import TesseraPassport
package import TesseraReaders

/// A desk that reads one document after another and writes down what it was told.
package struct LoadDesk: Sendable {
  private let desk: FleetDesk
  private let plan: LoadPlan
  private let journal: LoadJournal
  private let source: @Sendable (LoadDocument) -> CardSource

  /// - Parameter source: the chip of a document.
  package init(
    _ desk: FleetDesk, _ plan: LoadPlan, _ journal: LoadJournal,
    source: @escaping @Sendable (LoadDocument) -> CardSource = { $0.source }
  ) {
    self.desk = desk
    self.plan = plan
    self.journal = journal
    self.source = source
  }

  /// Reads until the plan has nothing left, or the task is cancelled.
  ///
  /// - Throws: an error of the journal; `CancellationError`.
  package func run() async throws {
    while let assignment = try plan.next(for: desk.name) { try await read(assignment) }
  }

  private func read(_ assignment: LoadPlan.Assignment) async throws {
    func entry(_ event: LoadEntry.Event) -> LoadEntry {
      LoadEntry(
        event, desk: desk.name, read: assignment.readID, profile: assignment.document.profile.name,
        mode: assignment.mode)
    }
    try journal.append(entry(.began))
    let begin = ContinuousClock.now
    var end: LoadEntry
    do {
      let reading = try await desk.read(
        source(assignment.document), try LabDocument.request(), mode: assignment.mode, readID: assignment.readID)
      end = entry(.read)
      end.result = LoadResult(reading.outcome, reading.reason)
      end.isRecorded = reading.recorded
      end.roundTrips = reading.roundTrips
      end.attempts = reading.attempts
    } catch let error as CancellationError {
      throw error
    } catch {
      end = entry(.failed)
      end.result = LoadResult(error)
    }
    end.milliseconds = (.now - begin) / .milliseconds(1)
    try journal.append(end)
  }
}
