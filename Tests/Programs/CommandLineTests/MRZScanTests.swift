import CameraTestSupport
import Foundation
import Tessera
import TestSupport
import Testing

extension RealPrograms {
  @Suite("tessera mrz scan", .serialized)
  struct MRZScanTests {
    private static let specimen = """
      P<UTOSPECIMEN<<TESSA<MARIA<<<<<<<<<<<<<<<<<<
      TS02647183UTO9002144F3506307<<<<<<<<<<<<<<<0

      """

    private static func camera(
      _ format: VirtualCamera.Format = .yuyv, padding: Int = 0, fault: String? = nil
    ) throws -> VirtualCamera {
      let picture = try GrayPicture(decoding: Fixtures.file("Passport/MRZRecognitionTests", "specimen.jpg"))
      return try VirtualCamera(showing: [picture], as: format, padding: padding, fault: fault)
    }

    @Test("reads a picture from standard input, and PNG")
    func png() async throws {
      let folder = try TemporaryFolder()
      let picture = try Picture(decoding: Fixtures.file("Passport/MRZRecognitionTests", "specimen.jpg"))
      try Data(try picture.png()).write(to: URL(fileURLWithPath: folder.file("page.png")))
      #expect(try await ProgramRun.tessera(["mrz", "scan", folder.file("page.png")]).output == Self.specimen)
      let piped = try await RunningProgram(
        URL(fileURLWithPath: "/bin/sh"),
        ["-c", #""$0" mrz scan - < "$1""#, ProgramRun.tessera.path, folder.file("page.png")]
      ).finish()
      #expect(piped.output == Self.specimen)
    }

    @Test("decodes what the portrait's decoder does, and names what it does not, with a remedy that helps")
    func kinds() async throws {
      let folder = try TemporaryFolder()
      let page = Fixtures.file("Passport/MRZRecognitionTests", "specimen.jpg")
      let lossless = Fixtures.file("Passport/PicturesTests", "lossless.jpg")
      let film = [0, 0, 0, 16] + Array("ftypisom\0\0\0\0".utf8)
      for (name, bytes, cause) in [
        ("l.jpg", lossless, "The image is a lossless JPEG, which Tessera does not support. Convert it to JPEG or PNG."),
        ("p.pdf", Array("%PDF-1.7".utf8), "The image is a PDF file, which Tessera does not support. Convert it"),
        ("f.heic", film, "The image is a film, which Tessera does not support. Convert it"),
        ("c.jpg", Array(page.prefix(60)), "The image ends within its header. Use another copy of the file"),
      ] {
        try Data(bytes).write(to: URL(fileURLWithPath: folder.file(name)))
        let run = try await ProgramRun.tessera(["mrz", "scan", folder.file(name)])
        #expect(run.status == 2 && run.errors.contains(cause), "\(name): \(run.errors)")
      }
      let inkPicture = Fixtures.file("Passport/PicturesTests", "cmyk.jpg")
      try Data(inkPicture).write(to: URL(fileURLWithPath: folder.file("inks.jpg")))
      let inks = try await ProgramRun.tessera(["mrz", "scan", folder.file("inks.jpg")])
      #expect(inks.status == 3 && inks.errors.contains("shows no machine readable zone"))
    }

    // MARK: - The camera

    @Test(
      "reads a document in front of a camera, in every format",
      arguments: [
        (VirtualCamera.Format.yuyv, 0), (.yuyv, 24), (.uyvy, 0), (.nv12, 0), (.nv12, 32), (.grey, 7),
        (.mjpeg(quality: 85), 0),
      ])
    func camera(_ format: VirtualCamera.Format, _ padding: Int) async throws {
      let camera = try Self.camera(format, padding: padding)
      let run = try await ProgramRun.tessera(
        ["mrz", "scan", "--camera", camera.node], environment: camera.environment)
      #expect(run.status == 0 && run.output == Self.specimen)
    }

    @Test("its output opens the chip: mrz scan | passport read --mrz -")
    func pipeline() async throws {
      let camera = try Self.camera()
      let run = try await RunningProgram(
        URL(fileURLWithPath: "/bin/sh"),
        [
          "-c", #"LD_PRELOAD="$2" "$0" mrz scan --camera "$1" | "$0" passport read --virtual --mrz - --json"#,
          ProgramRun.tessera.path, camera.node, camera.environment["LD_PRELOAD", default: ""],
        ], environment: camera.environment.filter { $0.key != "LD_PRELOAD" }
      ).finish()
      #expect(run.status == 0)
      #expect(try JSONValue(text: run.output)["outcome"]?.stringValue == "genuine")
    }

    @Test("with a camera in use, forbidden or broken: status 3, the cause and a remedy")
    func unusable() async throws {
      for (fault, cause) in [
        ("open:16", "Another program uses"), ("open:13", "usermod -aG video"), ("VIDIOC_STREAMON:5", "STREAMON"),
      ] {
        let camera = try Self.camera(fault: fault)
        let run = try await ProgramRun.tessera(
          ["mrz", "scan", "--camera", camera.node], environment: camera.environment)
        #expect(run.status == 3 && run.output.isEmpty && run.errors.contains(cause), "\(fault): \(run.errors)")
      }
    }

    @Test("ends with status 3 when no zone comes in time, with 8 after Ctrl-C, and never prints what it saw")
    func ends() async throws {
      let page = try GrayPicture(decoding: Fixtures.file("Passport/MRZRecognitionTests", "specimen.jpg"))
      let camera = try VirtualCamera(showing: [try Self.blurred(page, radius: 12)])
      let late = try await ProgramRun.tessera(
        ["mrz", "scan", "--camera", camera.node, "--wait", "6"], environment: camera.environment)
      #expect(late.status == 3 && late.errors.contains("machine readable zone"))
      for text in [late.output, late.errors] {
        for part in ["TS02", "SPECIMEN", "TESSA", "9002144"] { #expect(!text.contains(part)) }
      }
      let program = try RunningProgram(
        ProgramRun.tessera, ["mrz", "scan", "--camera", camera.node], environment: camera.environment)
      #expect(try await camera.wait(untilInUse: true))
      program.send(signal: SIGINT)
      let cancelled = await program.finish()
      #expect(cancelled.status == 8 && cancelled.output.isEmpty)
    }

    /// The mean of the pixels around each one: too blurred to be sure of every character.
    private static func blurred(_ picture: GrayPicture, radius: Int) throws -> GrayPicture {
      let (width, height) = (picture.width, picture.height)
      let rows = try GrayPicture(width: width, height: height) { target in
        picture.withPixels { pixels in
          for y in 0..<height {
            var sum = (0...radius).reduce(0) { $0 + Int(pixels[y * width + $1]) } + radius * Int(pixels[y * width])
            for x in 0..<width {
              target[y * width + x] = UInt8(sum / (2 * radius + 1))
              sum += Int(pixels[y * width + min(x + radius + 1, width - 1)])
              sum -= Int(pixels[y * width + max(x - radius, 0)])
            }
          }
        }
      }
      return rows
    }

    @Test("a camera that is unplugged ends the scan with its cause")
    func unplugged() async throws {
      let blank = try GrayPicture(width: 640, height: 480) { $0.update(repeating: 200) }
      let camera = try VirtualCamera(showing: [blank])
      let program = try RunningProgram(
        ProgramRun.tessera, ["mrz", "scan", "--camera", camera.node], environment: camera.environment)
      #expect(try await camera.wait(untilInUse: true))
      try camera.unplug()
      let run = await program.finish()
      #expect(run.status == 3 && run.errors.contains("unplugged"))
    }
  }
}
