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
          let stream = RecordStream.configuration(
            replicas: options.replicas, maximumBytes: options.recordLimit << 30,
            maximumAge: options.keep.map { .seconds($0 * 86_400) })
          let (state, isChanged) = try await JetStream(connection).prepareStream(stream)
          try StandardOutput.write(
            "The record \(stream.name) is ready and has \(state.messages) messages.\(Self.note(isChanged))")
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
