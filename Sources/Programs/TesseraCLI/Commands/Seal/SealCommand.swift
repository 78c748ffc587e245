import ArgumentParser
import FoundationEssentials
import Tessera
import TesseraCommandLine
import TesseraSeals

struct SealCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seal", abstract: "Verifies the signed barcodes of travel documents.",
    discussion: """
      A visa, an emergency travel document, a residence permit or a permission to travel can carry a barcode that the \
      issuing country signed: a visible digital seal, a VDS-NC or a barcode of ICAO's datastructure.

      Examples:
        tessera seal scan
        tessera seal verify visa.jpg
      """,
    subcommands: [Scan.self, Verify.self])
}

extension SealCommand {
  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "verify",
      abstract: "Verifies seals in pictures and in files with the content of the barcode.",
      discussion: """
        Genuine means that the country signed these data. A copy of a seal is as good as the original: compare the data \
        with the document. A picture that shows the machine readable zone, too, is compared with it; --passport compares \
        the passport that a visa names.

        Pictures are JPEG, PNG or JPEG 2000 files. Any other file is the content of a barcode: its bytes, or these in \
        hexadecimal or base64; `-` is standard input. Tessera finds the certificates of signers among the imported ones, \
        unless the seal brings its own. --virtual accepts what `tessera chip seal` makes.

        Exit status: 0 no check failed, 2 a file cannot be read, 3 no seal, 5 a check failed or the verdict is not the \
        one of --require.

        Examples:
          tessera seal verify visa.jpg
          tessera seal verify --report visa.html visa.jpg
          tessera seal verify --require genuine --passport dump visa.jpg
          tessera seal verify --json --trust UT.cer seal.bin
        """)

    @Argument(
      help: ArgumentHelp("Pictures, and files with the content of a barcode.", valueName: "file"), completion: .file())
    var files: [String]

    @OptionGroup(title: "Verification") var time: SealTimeOption
    @OptionGroup(title: "Verification") var trust: SealTrustOptions

    @OptionGroup(title: "Report") var output: SealReportOptions

    @Flag(help: "Print one JSON object for each seal.")
    var json = false

    func validate() throws {
      if output.report != nil, files.count > 1 {
        throw ValidationError("--report is the page on one file. Verify the files one by one.")
      }
    }

    func run() async throws {
      let passport = try output.prepared(inputs: files + trust.paths)
      let trust = try await trust.load()
      let date = time.date
      let (files, json, output) = (files, json, output)
      let status = try await Interruption.cancelling {
        var status: Int32 = 0
        for path in files {
          try Task.checkCancellation()
          let one = try Self.verify(path, isNamed: files.count > 1, passport, trust, date, output, asJSON: json)
          // A failed check takes precedence over a file without a seal.
          if status != FailureKind.checkFailed.exitStatus { status = one == 0 ? status : one }
        }
        return status
      }
      if status != 0 { throw ExitCode(status) }
    }

    /// Writes the reports on the seals of a file. A file without one does not end the command.
    ///
    /// - Returns: the exit status for this file alone.
    private static func verify(
      _ path: String, isNamed: Bool, _ passport: MachineReadableZone?, _ trust: SealTrust, _ date: Date,
      _ output: SealReportOptions, asJSON json: Bool
    ) throws -> Int32 {
      var reports: [SealReport] = []
      do {
        let source = try SealSource(path: path)
        var firstError: (any Error)?
        for seal in source.seals {
          do {
            reports.append(
              try trust.report { try seal.report(printed: source.printed, passport: passport, trust: $0, at: date) })
          } catch {
            // What only begins like a seal must not hide another one of the picture.
            firstError = firstError ?? error
          }
        }
        if reports.isEmpty, let firstError { throw firstError }
      } catch let error as CancellationError {
        throw error
      } catch {
        return ErrorOutput.report(error, asJSON: json)
      }
      for report in reports {
        try StandardOutput.write(SealOutput(report, file: isNamed ? path : nil).text(asJSON: json))
      }
      trust.remark(on: reports)
      let page = output.writePage(reports)
      output.remark(on: reports, asJSON: json)
      return reports.map(output.status).first { $0 != 0 } ?? page
    }
  }
}
