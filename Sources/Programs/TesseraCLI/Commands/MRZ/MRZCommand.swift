import ArgumentParser
import Glibc
import Tessera
import TesseraCommandLine

struct MRZCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mrz", abstract: "Reads machine readable zones optically.",
    discussion: """
      The zone is the two or three lines of letters and "<" in a document. Its lines open the chip.

      Examples:
        tessera mrz scan
        tessera mrz scan page.jpg
      """,
    subcommands: [Scan.self],
    defaultSubcommand: Scan.self)
}

extension MRZCommand {
  struct Scan: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "scan",
      abstract: "Reads the machine readable zone of a document by a camera or from pictures.",
      discussion: """
        Without pictures, scans with the camera until a zone is read or --wait has passed. A zone is printed only if every \
        check digit is right and no character is in doubt. Pictures are JPEG, PNG or JPEG 2000 files; `-` is standard \
        input. Pictures of the same document decide together.

        A doubt is named on standard error, with what each field may be. With --json, an object has the candidates, their \
        weights (0 to 1) and the doubts; `tessera passport read --mrz -` tries them at the chip.

        No frame of the camera is stored. The zone contains personal data, and it is the key of the document's chip.

        Exit status: 0 every zone was read, 2 a picture cannot be read, 3 no camera, no zone or one in doubt, 8 the scan \
        by the camera was cancelled.

        Examples:
          tessera mrz scan
          tessera mrz scan --json | tessera passport read --mrz -
          tessera mrz scan --json page1.jpg page2.png
        """)

    @Argument(help: ArgumentHelp("Pictures of documents.", valueName: "image"), completion: .file())
    var images: [String] = []

    @OptionGroup(title: "Camera") var camera: CameraOptions

    @Flag(help: "Print one JSON object for each zone.")
    var json = false

    func validate() throws {
      if !images.isEmpty, camera.isSpecified {
        throw ValidationError("Pictures and the options of the camera cannot be combined.")
      }
    }

    func run() async throws {
      let json = json
      guard !images.isEmpty else {
        do {
          let zone = try await CameraScan(options: camera).zone()
          return try StandardOutput.write(MRZOutput(zone).text(asJSON: json))
        } catch let zone as UndecidedZone {
          let output = UndecidedZoneOutput(source: "The camera", image: nil, zone: zone)
          throw ExitCode(try output.report(asJSON: json))
        }
      }
      let scan = PictureScan(paths: images, isJSON: json)
      let status = try await Interruption.cancelling { try scan.run() }
      if status != 0 { throw ExitCode(status) }
    }
  }
}

/// The camera that scans, and for how long.
struct CameraOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The camera's node, for example /dev/video0 (default: the first one that is free).", valueName: "path"),
    completion: .file())
  var camera: String?

  @Option(help: ArgumentHelp("How long to scan (default: 60).", valueName: "seconds"))
  var wait: Int?

  @Flag(help: "Do not show the camera's picture in the terminal.")
  var noPicture = false

  var isSpecified: Bool { camera != nil || wait != nil || noPicture }

  func validate() throws {
    if let wait, !(1...86_400).contains(wait) {
      throw ValidationError("--wait must be a number of seconds from 1 to 86400.")
    }
  }

  var timeout: Duration { .seconds(wait ?? 60) }
  var scan: CameraMRZScan { CameraMRZScan(camera: camera, timeout: timeout, endsInDoubt: true) }
}

/// A scan by the camera with a live picture on standard error, if that is a terminal.
struct CameraScan {
  let options: CameraOptions

  /// - Throws: `ExitCode` of a cancelled scan after Ctrl-C; otherwise as `CameraMRZScan`.
  func zone() async throws -> RecognizedZone {
    let scan = options.scan
    return try await run(MRZReading.State.noText.advice) { view in
      try await scan.zone { frame, reading in view.show(frame, reading.outlines, reading.state.advice) }
    }
  }

  /// - Throws: `ExitCode` of a cancelled scan after Ctrl-C; otherwise as `CameraSealScan`.
  func seal() async throws -> ScannedSeal {
    let scan = CameraSealScan(camera: options.camera, timeout: options.timeout)
    return try await run(SealSight(.noBarcode).advice) { view in
      try await scan.seal { frame, sight in view.show(frame, sight.outlines, sight.advice) }
    }
  }

  private func run<Result: Sendable>(
    _ advice: String, _ scan: @escaping @Sendable (CameraView) async throws -> Result
  ) async throws -> Result {
    let view = CameraView(showsPicture: !options.noPicture)
    do {
      return try await Interruption.cancelling {
        defer { view.clear() }
        view.show(advice)
        return try await scan(view)
      }
    } catch is CancellationError where Interruption.signalNumber == SIGINT {
      Note.write("The scan was cancelled.")
      throw ExitCode(8)
    }
  }
}
