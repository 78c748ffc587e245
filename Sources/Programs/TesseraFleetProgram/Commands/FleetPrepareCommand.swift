import ArgumentParser
import TesseraCommandLine
import TesseraFleet
import TesseraNATS

extension FleetCommand {
  struct Prepare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "prepare",
      abstract: "Creates the record and the store of certificates on the servers.",
      discussion: FleetPrepareOptions.discussion)

    @OptionGroup var options: FleetPrepareOptions

    func run() async throws {
      try await Interruption.cancelling {
        try await options.fleet.withAdministrator { connection in
          let (state, isChanged) = try await JetStream(connection).prepareStream(RecordStream.name) { record in
            options.configuration(of: record)
          }
          try StandardOutput.write(
            "The record \(RecordStream.name) is ready and has \(state.messages) messages.\(Self.note(isChanged))")
          let bucket = TrustBucket(connection)
          let isBucketChanged = try await bucket.create(replicas: options.replicas)
          let version = try await bucket.version()
          try StandardOutput.write(
            "The store of certificates is ready and has "
              + (version.map { "version \($0)." } ?? "none yet: tessera trust import --fleet.")
              + Self.note(isBucketChanged))
        }
      }
    }

    private static func note(_ isChanged: Bool) -> String {
      isChanged ? "" : " It was so already, and was not changed."
    }
  }
}

extension FleetPrepareOptions {
  /// The configuration of the record. What no option says stays as it is.
  fileprivate func configuration(of record: StreamState?) -> StreamConfiguration {
    let bytes = recordLimit.map { $0 << 30 }
    let age = keep.map { $0 == 0 ? nil : Duration.seconds($0 * 86_400) }
    guard let record else {
      return RecordStream.configuration(
        replicas: replicas ?? 1, maximumBytes: bytes ?? Self.usualRecordLimit << 30, maximumAge: age ?? nil)
    }
    return RecordStream.configuration(
      replicas: replicas ?? record.replicas, maximumBytes: bytes ?? record.maximumBytes,
      maximumAge: age ?? record.maximumAge)
  }
}
