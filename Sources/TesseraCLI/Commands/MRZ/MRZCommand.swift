import ArgumentParser
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
        check digit is right. Pictures are JPEG, PNG or JPEG 2000 files; `-` is standard input.

        No frame of the camera is stored. The zone contains personal data, and it is the key of the document's chip.

        Exit status: 0 every zone was read, 2 a picture cannot be read, 3 no camera or no zone, 8 the scan by the camera \
        was cancelled.

        Examples:
          tessera mrz scan
          tessera mrz scan | tessera passport read --mrz -
          tessera mrz scan --json page1.jpg page2.png
        """)

    @Argument(help: ArgumentHelp("Pictures of documents.", valueName: "image"))
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
        let zone = try await CameraScan(options: camera).zone()
        return try StandardOutput.write(MRZOutput(zone).text(asJSON: json))
      }
      let images = images
      let status = try await Interruption.cancelling {
        var status: Int32 = 0
        let reader = MRZReader()
        for path in images {
          do {
            let zone = try Self.zone(in: path, reader)
            try Task.checkCancellation()
            try StandardOutput.write(MRZOutput(zone, image: images.count > 1 ? path : nil).text(asJSON: json))
          } catch let error as Failure where images.count > 1 {
            try Task.checkCancellation()
            // The other pictures may be readable.
            status = max(status, ErrorOutput.report(error, asJSON: json))
          }
        }
        return status
      }
      if status != 0 { throw ExitCode(status) }
    }

    /// - Throws: `Failure`, which names the picture.
    private static func zone(in path: String, _ reader: MRZReader) throws -> RecognizedZone {
      let data = try InputFile(path: path).read(upTo: 64 << 20)
      let picture: GrayPicture
      do {
        picture = try GrayPicture(decoding: data)
      } catch {
        throw Failure(
          .usage, "\(path) is not a picture that Tessera reads: \(error.failure.cause)",
          remedy: "Convert it to JPEG or PNG.")
      }
      try Task.checkCancellation()
      let reading = reader.read(picture)
      guard let zone = reading.zone else { throw reading.failure(in: path) }
      return zone
    }
  }
}

extension MRZReading {
  /// Why a picture gives no zone.
  fileprivate func failure(in path: String) -> Failure {
    let (cause, remedy) =
      switch state {
      case .noText, .text:
        (
          "\(path) shows no machine readable zone.",
          "Photograph the page with the two or three lines of letters and \"<\" from above, all of it in the picture."
        )
      case .oneLine:
        (
          "\(path) shows only one line of a machine readable zone.",
          "Photograph the page again, with all lines in the picture."
        )
      case .zone:
        (
          "\(path) shows a machine readable zone, but not clearly enough to be sure of every character.",
          "Photograph the page again: nearer, sharp, without reflections."
        )
      }
    return Failure(.noZone, cause, remedy: remedy)
  }
}
