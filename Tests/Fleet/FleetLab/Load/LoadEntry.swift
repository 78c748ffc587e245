package import TesseraFleet

/// One line of a desk's journal.
package struct LoadEntry: Sendable, Codable {
  package enum Event: String, Sendable, Codable {
    /// Written before the read begins.
    case began
    /// Written once the desk has the verdict.
    case read
    /// Written once the desk has an error in place of a verdict.
    case failed
  }

  package var event: Event
  package var desk: String
  package var read: FleetReadID
  package var profile: String
  package var mode: FleetReadingMode
  /// nil when the read begins.
  package var result: LoadResult?
  /// Whether the stream has acknowledged the record.
  package var isRecorded: Bool?
  package var roundTrips: Int?
  package var attempts: Int?
  package var milliseconds: Double?

  package init(_ event: Event, desk: DeskName, read: FleetReadID, profile: String, mode: FleetReadingMode) {
    self.event = event
    self.desk = desk.text
    self.read = read
    self.profile = profile
    self.mode = mode
  }
}
