import ArgumentParser
import Tessera
import TesseraCommandLine

extension SealCommand {
  struct Scan: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "scan",
      abstract: "Reads a seal with the camera and verifies it.",
      discussion: """
        Scans until the camera shows a seal or --wait has passed. The machine readable zone in the same picture is compared \
        with the seal; the scan ends without one a second after the seal was read. A barcode that is no seal is named.

        Genuine means that the country signed these data. A copy of a seal is as good as the original: the first line says \
        whether the seal was compared with the document.

        No frame of the camera is stored. What a seal contains is personal data.

        Exit status: 0 no check failed, 3 no camera, no seal or no libzxing, 5 a check failed or the verdict is not \
        the one of --require, 8 the scan was cancelled.

        Examples:
          tessera seal scan
          tessera seal scan --json --trust UT.cer
        """)

    @OptionGroup(title: "Camera") var camera: CameraOptions

    @OptionGroup(title: "Verification") var time: SealTimeOption
    @OptionGroup(title: "Verification") var trust: SealTrustOptions

    @OptionGroup(title: "Report") var output: SealReportOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() async throws {
      // Before the scan: nobody should hold a document to learn then that a file cannot be read.
      let passport = try output.prepared(inputs: trust.paths)
      let trust = try await trust.load()
      let scanned = try await CameraScan(options: camera).seal()
      let date = time.date
      let report = try trust.report { try scanned.report(passport: passport, trust: $0, at: date) }
      try StandardOutput.write(SealOutput(report, file: nil).text(asJSON: json))
      trust.remark(on: [report])
      let page = output.writePage([report])
      output.remark(on: [report], asJSON: json)
      let status = output.status(of: report)
      if status != 0 || page != 0 { throw ExitCode(status == 0 ? page : status) }
    }
  }
}
