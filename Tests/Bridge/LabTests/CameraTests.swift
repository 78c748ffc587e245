import CLab
import Foundation
import LabDevices
import TesseraCamera
import TesseraJSON
import TesseraPictures
import TesseraUdev
import TestSupport
import Testing

@Suite("The lab's camera", .enabled(if: VirtualMachine.isInside), .serialized)
struct CameraTests {
  private static let program = ProgramRun.built("CameraProbe")
  private static let tessera = Fixtures.tests.deletingLastPathComponent().appendingPathComponent(
    ".build/release/tessera")
  private static let nothingLeft = "left: 0 descriptors, 0 threads, 0 mappings"

  private static func camera() throws -> String { try LoopbackCamera.node("vivid-000-vid-cap") }

  /// The lines that the program prints.
  private static func probe(_ arguments: [String]) async throws -> [String] {
    try await RunningProgram(program, arguments).finish(within: 600).output.split(separator: "\n").map(String.init)
  }

  @Test("udev detects the camera of vivid")
  func detected() throws {
    let cameras = try Udev.devices(subsystem: "video4linux").filter { $0.attribute("name")?.hasPrefix("vivid") == true }
    let capturing = cameras.filter { $0.properties["ID_V4L_CAPABILITIES"]?.contains("capture") == true }
    #expect(capturing.contains { $0.node?.hasPrefix("/dev/video") == true }, "\(cameras.map(\.properties))")
  }

  @Test("of vivid's nodes only the camera is listed: not its outputs, radio, text and touch pad")
  func list() throws {
    let cameras = CameraDevice.all()
    #expect(cameras.map(\.path) == [try Self.camera()])
    #expect(cameras.map(\.driver) == ["vivid"] && cameras.map(\.bus) == ["platform:vivid-000"])
    #expect(throws: CameraError.notACamera(path: "/dev/video1")) { _ = try CameraDevice(path: "/dev/video1") }
    #expect(throws: CameraError.notACamera(path: "/dev/null")) { _ = try CameraDevice(path: "/dev/null") }
    #expect(throws: CameraError.missing(path: "/dev/video99")) { _ = try CameraDevice(path: "/dev/video99") }
  }

  @Test("opens the camera by a link to its node")
  func link() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("camera"), withDestinationPath: try Self.camera())
    #expect(try CameraDevice(path: folder.file("camera")).path == (try Self.camera()))
  }

  @Test("each format that vivid offers and the decoder reads shows the same luminance")
  func formats() async throws {
    let camera = try CameraDevice(path: try Self.camera())
    // Without movement and text each frame is the same.
    for control in ["Horizontal Movement", "Vertical Movement"] {
      #expect(tessera_vivid_control(camera.path, control, 3) == 0)
    }
    #expect(tessera_vivid_control(camera.path, "OSD Text Mode", 2) == 0)
    #expect(tessera_vivid_control(camera.path, "Test Pattern", 20) == 0)
    var rows: [PixelFormat: [UInt8]] = [:]
    for (format, luminance) in PixelFormat.readable where luminance != .jpeg {
      let capture = try await CameraCapture.open(camera, only: format)
      #expect(capture.format.pixelFormat == format)
      let picture = try await capture.nextFrame()
      await capture.close()
      #expect(picture.width == 1280 && picture.height == 720)
      rows[format] = picture.withPixels { Array($0[(360 * 1280)..<(361 * 1280)]) }
    }
    #expect(rows.count == 12)
    let grey = try #require(rows[PixelFormat("NV12")])
    #expect(Set(grey).count > 100, "the pattern is a ramp of grey")
    for (format, row) in rows where format != PixelFormat("GREY") { #expect(row == grey, "\(format)") }
    #expect(tessera_vivid_control(camera.path, "Test Pattern", 0) == 0)
  }

  @Test("a second program meets a camera in use, and has it when the first one has ended")
  func inUse() async throws {
    let camera = try Self.camera()
    let first = try RunningProgram(Self.program, ["read", camera, "1000"])
    #expect(await first.wait(within: 600) { $0.output.split(separator: "\n").count > 2 })
    let second = try await Self.probe(["read", camera, "1"])
    #expect(second.first?.hasPrefix("inUse|") == true && second.last == Self.nothingLeft, "\(second)")
    first.send(signal: SIGKILL)
    _ = await first.finish()
    #expect(try await Self.probe(["read", camera, "1"]).suffix(2) == ["closed", Self.nothingLeft])
  }

  @Test("the camera is unplugged in the middle")
  func unplugged() async throws {
    let camera = try Self.camera()
    let program = try RunningProgram(Self.program, ["read", camera, "1000"])
    #expect(await program.wait(within: 600) { $0.output.split(separator: "\n").count > 2 })
    #expect(tessera_vivid_control(camera, "Disconnect", 1) == 0)
    let lines = await program.finish(within: 600).output.split(separator: "\n").map(String.init)
    #expect(lines.dropLast().last?.hasPrefix("disconnected|") == true, "\(lines.suffix(2))")
    #expect(lines.last == Self.nothingLeft)
    try await Self.reloadDriver()
  }

  @Test(
    "vivid's injected errors end in a typed error and leave nothing open",
    arguments: [
      ("Inject VIDIOC_REQBUFS Error", "VIDIOC_REQBUFS"), ("Inject VIDIOC_QBUF Error", "VIDIOC_QBUF"),
      ("Inject VIDIOC_STREAMON Error", "VIDIOC_STREAMON"),
    ])
  func injected(control: String, call: String) async throws {
    let camera = try Self.camera()
    #expect(tessera_vivid_control(camera, control, 1) == 0)
    let lines = try await Self.probe(["read", camera, "1"])
    #expect(lines.first?.hasPrefix("failed|") == true && lines.first?.contains("\(call): ") == true, "\(lines)")
    #expect(lines.last == Self.nothingLeft)
    #expect(try await Self.probe(["read", camera, "1"]).suffix(2) == ["closed", Self.nothingLeft])
  }

  @Test("a stream that fails for good ends in a typed error")
  func fatalStream() async throws {
    let camera = try Self.camera()
    let program = try RunningProgram(Self.program, ["read", camera, "1000"])
    #expect(await program.wait(within: 600) { $0.output.split(separator: "\n").count > 2 })
    #expect(tessera_vivid_control(camera, "Inject Fatal Streaming Error", 1) == 0)
    let lines = await program.finish(within: 600).output.split(separator: "\n").map(String.init)
    #expect(lines.dropLast().last?.hasPrefix("failed|") == true, "\(lines.suffix(2))")
    #expect(lines.last == Self.nothingLeft)
    #expect(try await Self.probe(["read", camera, "1"]).suffix(2) == ["closed", Self.nothingLeft])
  }

  @Test("a frame that the driver marks as damaged is dropped")
  func damagedFrame() async throws {
    let camera = try Self.camera()
    let program = try RunningProgram(Self.program, ["read", camera, "20"])
    #expect(await program.wait(within: 600) { $0.output.split(separator: "\n").count > 2 })
    #expect(tessera_vivid_control(camera, "Inject V4L2_BUF_FLAG_ERROR", 1) == 0)
    #expect(
      await program.finish(within: 600).output.split(separator: "\n").suffix(2) == ["closed", Self.nothingLeft[...]])
  }

  @Test("a user without permission is told so, and the camera is listed all the same")
  func permission() async throws {
    let camera = try Self.camera()
    let other = ["-s", "/bin/sh", "nobody", "-c"]
    let su = URL(fileURLWithPath: "/bin/su")
    let opened = try await RunningProgram(su, other + ["\(Self.program.path) read \(camera) 1"]).finish(within: 600)
      .output
    #expect(opened.hasPrefix("accessDenied|") && opened.contains("usermod -aG video"), "\(opened)")
    let listed = try await RunningProgram(su, other + ["\(Self.program.path) list"]).finish(within: 600).output
    #expect(listed == "\(camera)  vivid-000-vid-cap\n")
  }

  @Test("the loopback camera shows exactly the pixels of the picture, and the next picture")
  func loopback() async throws {
    func picture(_ seed: Int) throws -> GrayPicture {
      try GrayPicture(width: LoopbackCamera.width, height: LoopbackCamera.height) { pixels in
        for index in pixels.indices { pixels[index] = UInt8(truncatingIfNeeded: index &* 7 &+ index / 1280 &+ seed) }
      }
    }
    let (first, second) = (try picture(0), try picture(100))
    let loopback = try LoopbackCamera(showing: first)
    defer { loopback.close() }
    let capture = try await CameraCapture.open(try CameraDevice(path: loopback.node))
    #expect(capture.format.pixelFormat == PixelFormat("GREY"))
    #expect(try await Self.shows(capture, first))
    #expect(try await Self.shows(capture, second) == false)
    loopback.show(second)
    #expect(try await Self.shows(capture, second))
    await capture.close()
  }

  @Test("a document in front of the kernel's camera: tessera mrz scan | tessera passport read ends in the verdict")
  func desk() async throws {
    let page = try GrayPicture(decoding: Fixtures.file("Passport/MRZRecognitionTests", "specimen.jpg"))
    let loopback = try LoopbackCamera(showing: page)
    defer { loopback.close() }
    let run = try await RunningProgram(
      URL(fileURLWithPath: "/bin/sh"),
      ["-c", #""$0" mrz scan --wait 300 | "$0" passport read --virtual --mrz -"#, Self.tessera.path]
    ).finish(within: 600)
    #expect(run.status == 0 && run.output.hasPrefix("Genuine"), "\(run.output) \(run.errors)")
  }

  @Test("a seal and its zone in front of the kernel's camera: tessera seal scan compares them")
  func seal() async throws {
    let page = try GrayPicture(decoding: Fixtures.file("Passport/BarcodesTests", "made/seal-and-zone.png"))
    let loopback = try LoopbackCamera(showing: page)
    defer { loopback.close() }
    let folder = try TemporaryFolder()
    let run = try await RunningProgram(
      URL(fileURLWithPath: "/bin/sh"),
      [
        "-c", #"cd "$1" && "$2" etd-v4-p256 && "$0" seal scan --wait 300 --trust certificates --at 2026-11-28"#,
        Self.tessera.path, folder.url.path,
        Fixtures.tests.appendingPathComponent("Passport/SealsTests/Vectors/write").path,
      ]
    ).finish(within: 600)
    #expect(run.status == 0 && run.output.hasPrefix("Genuine seal"), "\(run.output) \(run.errors)")
    #expect(run.output.contains("it equals the printed MRZ"))
  }

  @Test("from V4L2 to nfc.scan over the bridge, with the four states of progress")
  func bridge() async throws {
    let page = try GrayPicture(decoding: Fixtures.file("Passport/MRZRecognitionTests", "specimen.jpg"))
    let loopback = try LoopbackCamera(showing: page)
    defer { loopback.close() }
    let folder = try TemporaryFolder()
    let socket = folder.file("bridge.sock")
    let service = try RunningProgram(
      Self.tessera, ["serve", "--virtual", "--socket", socket], environment: ["HOME": folder.url.path])
    defer { service.send(signal: SIGKILL) }
    #expect(await service.wait(within: 120) { $0.output.contains("ready") }, "\(service.errors)")
    func call(_ arguments: String...) async throws -> ProgramRun {
      try await RunningProgram(Self.tessera, ["call", "--socket", socket] + arguments).finish(within: 300)
    }
    // An answer that comes too late for one request serves the next one.
    var hasCamera: JSONValue?
    for _ in 0..<20 where hasCamera != true {
      hasCamera = try JSONValue(text: try await call("lifecycle.getConfig").output)["capabilities"]?["mrzCamera"]
    }
    #expect(hasCamera == true)
    #expect(try await call("camera.isAvailable").output == "true\n")
    let scan = try await call("camera.scanMRZ", "--events")
    #expect(scan.status == 0 && scan.errors.contains("mrz_detected"), "\(scan.errors)")
    let fields = try JSONValue(text: scan.output)
    #expect(fields["documentNumber"] == "TS0264718" && fields["raw"]?.stringValue?.count == 89)
    let key: JSONValue = [
      "passportNumber": fields["documentNumber"] ?? nil, "dateOfBirth": fields["dateOfBirth"] ?? nil,
      "dateOfExpiry": fields["dateOfExpiry"] ?? nil, "sessionId": "desk",
    ]
    let read = try await call("nfc.scan", key.text)
    #expect(read.status == 0, "\(read.errors)")
    #expect(try JSONValue(text: read.output)["outcome"] == "genuine")
  }

  /// Whether one of the next pictures is this one.
  private static func shows(_ capture: CameraCapture, _ picture: GrayPicture) async throws -> Bool {
    let expected = picture.withPixels(Array.init)
    for _ in 0..<20 where try await capture.nextFrame().withPixels({ $0.elementsEqual(expected) }) { return true }
    return false
  }

  /// Removes the driver and loads it again: after "Disconnect" its nodes are gone.
  private static func reloadDriver() async throws {
    let modules = (ProcessInfo.processInfo.environment["TESSERA_LAB_FOLDER"] ?? "") + "/kernel"
    _ = try await RunningProgram(
      URL(fileURLWithPath: "/bin/bash"),
      [
        "-c",
        "PATH=/usr/sbin:/sbin:$PATH; modprobe --dirname '\(modules)' -r vivid; modprobe --dirname '\(modules)' vivid; udevadm settle",
      ]
    ).finish(within: 600)
    #expect(CameraDevice.all().count == 1)
  }
}
