import ArgumentParser
import TesseraCommandLine
import TesseraCore
import TesseraFleet
import TesseraNATS
import TesseraPassport
import TesseraReaders

extension FleetCommand {
  struct Read: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "read",
      abstract: "Reads one document at this desk, for an inspector elsewhere.", discussion: FleetReadOptions.discussion)

    @OptionGroup var options: FleetReadOptions

    func run() async throws {
      let files = try options.card.virtualDocument()?.files
      var access = try options.key.accessKey() ?? files?.mrzInformation.map(AccessKey.mrz)
      if access == nil, files == nil, AccessKeyDialogue.isPossible {
        access = try await Interruption.cancelling { try AccessKeyDialogue.run() }
      }
      var request = InspectionRequest(key: access)
      if let wait = options.card.wait { request.gracePeriod = .seconds(wait) }
      let source = try options.card.source(files)
      let output = try FleetReadOutput(try await reading(source, request))
      try output.show(asJSON: options.json)
      if !output.isSound { throw ExitCode(FailureKind.checkFailed.exitStatus) }
    }

    private func reading(_ source: CardSource, _ request: InspectionRequest) async throws -> FleetReading {
      let line = ProgressLine()
      defer { line.clear() }
      var limits = FleetLimits()
      limits.overall = .seconds(options.within)
      return try await Interruption.cancelling { [limits] in
        try await options.desk.withDesk(limits) { desk in
          try await desk.read(
            source, request, mode: options.desk.mode, onProgress: { line.follow($0) }, onWaiting: { line.waiting() })
        }
      }
    }
  }
}
