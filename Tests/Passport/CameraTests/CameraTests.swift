import CameraTestSupport
import Foundation
import TesseraCamera
import TesseraCore
import TesseraPictures
import TestSupport
import Testing

extension RealPrograms {
  /// The capture in a program of its own, with a virtual camera.
  @Suite("Camera capture")
  struct CameraTests {
    @Test(
      "shows exactly the camera's pixels in every uncompressed format, with any padding",
      arguments: [VirtualCamera.Format.yuyv, .uyvy, .nv12, .grey], [0, 1, 63])
    func formats(format: VirtualCamera.Format, padding: Int) async throws {
      let picture = try CameraPictures.pattern()
      let camera = try VirtualCamera(showing: [picture], as: format, padding: padding)
      let lines = try await CameraProgram(camera).run("read", "2")
      let line = "321x99 0 \(CameraPictures.checksum(picture))"
      #expect(Array(lines.dropFirst()) == [line, line, "closed", CameraProgram.nothingLeft])
      #expect(lines.first?.contains(" 321x99 ") == true)
    }

    @Test("shows MJPEG")
    func mjpeg() async throws {
      let camera = try VirtualCamera(showing: [CameraPictures.plain(100)], as: .mjpeg(quality: 90))
      let lines = try await CameraProgram(camera).run("read", "1")
      #expect(lines.first == "MJPG 320x240 0" && lines.dropFirst().first?.hasPrefix("320x240 100 ") == true, "\(lines)")
    }

    @Test("a slow consumer sees the present")
    func present() async throws {
      let camera = try VirtualCamera(showing: [CameraPictures.plain(0)], rate: 100)
      let input = Pipe()
      let program = try CameraProgram(camera).start("slow", ["4"], standardInput: input)
      for picture in 1...3 {
        // While the program is busy with one picture, many of the same kind follow, and then some of the next kind.
        #expect(await program.wait { $0.output.split(separator: "\n").count > picture })
        #expect(try await camera.waitForFrames(40))
        try camera.show([CameraPictures.plain(UInt8(picture))])
        #expect(try await camera.waitForFrames(3))
        try input.fileHandleForWriting.write(contentsOf: Data("next\n".utf8))
      }
      let lines = await program.finish().lines
      let values = lines.dropFirst().prefix(4).compactMap { $0.split(separator: " ").dropFirst().first }
      // With a queue of old frames the first kind would be seen again.
      #expect(values == ["0", "1", "2", "3"], "\(lines)")
    }

    @Test("two buffers are enough, one is not")
    func buffers() async throws {
      let two = try VirtualCamera(showing: [CameraPictures.plain(1)], rate: 100, buffers: 2)
      #expect(try await CameraProgram(two).run("read", "20", "5").suffix(2) == ["closed", CameraProgram.nothingLeft])
      let one = try VirtualCamera(showing: [CameraPictures.plain(1)], buffers: 1)
      let lines = try await CameraProgram(one).run("read", "1")
      #expect(lines.first?.hasPrefix("failed|") == true && lines.last == CameraProgram.nothingLeft, "\(lines)")
    }

    @Test("drops frames that are marked, short, empty or not decodable, and goes on")
    func damaged() async throws {
      let picture = try CameraPictures.pattern(width: 64, height: 48)
      for format in [VirtualCamera.Format.yuyv, .mjpeg(quality: 90)] {
        let camera = try VirtualCamera(showing: [picture], as: format, rate: 200)
        let good = try camera.encoded(picture)
        try camera.show(frames: [
          .init(good, isMarkedAsDamaged: true), .init(Array(good.prefix(good.count / 2))), .init([]), .init(good),
          .init([UInt8](repeating: 0xFF, count: 7)),
        ])
        let lines = try await CameraProgram(camera).run("read", "6")
        let pictures = Set(lines.dropFirst().dropLast(2))
        #expect(pictures.count == 1 && lines.count == 9, "\(lines)")
        #expect(lines.suffix(2) == ["closed", CameraProgram.nothingLeft])
      }
    }

    @Test("says that there is no picture, and why the frames that arrive are none")
    func noPicture() async throws {
      let camera = try VirtualCamera(showing: [CameraPictures.plain(1)], rate: 100)
      for (frames, words) in [
        ([], "delivered no picture in 2 seconds."),
        (
          [VirtualCamera.Frame([1, 2, 3])], "delivered no readable picture in 2 seconds (the last one was incomplete)."
        ),
        (
          [.init(try camera.encoded(CameraPictures.plain(1)), isMarkedAsDamaged: true)],
          "(the last one was marked as damaged by the driver)."
        ),
      ] {
        try camera.show(frames: frames)
        let lines = try await CameraProgram(camera).run("read", "1", "0", "2")
        #expect(lines.dropFirst().first?.hasPrefix("noPicture|serviceUnavailable|") == true, "\(lines)")
        #expect(lines.dropFirst().first?.contains(words) == true, "\(lines)")
        #expect(lines.last == CameraProgram.nothingLeft)
      }
    }

    @Test("cancelling a task that waits ends its wait at once, and the capture goes on")
    func cancellation() async throws {
      let camera = try VirtualCamera(showing: [CameraPictures.plain(1)], fault: "VIDIOC_DQBUF:0")
      let program = try CameraProgram(camera).start("cancel")
      #expect(try await camera.waitForHang())
      // There is no picture yet, and the program would wait for one for an hour.
      #expect(await program.wait { $0.output.hasSuffix("\ncancelled\n") }, "\(program.output)")
      try camera.goOn()
      let lines = await program.finish().lines
      #expect(Array(lines.dropFirst()) == ["cancelled", "320x240", "closed", CameraProgram.nothingLeft])
    }

    @Test(
      "cancelling a task that opens the camera ends its wait while the kernel's call hangs, and leaves nothing",
      arguments: ["VIDIOC_S_FMT", "VIDIOC_REQBUFS", "mmap", "VIDIOC_STREAMON"])
    func cancelledOpening(_ call: String) async throws {
      let camera = try VirtualCamera(showing: [CameraPictures.plain(1)], fault: "\(call):0")
      let input = Pipe()
      let program = try CameraProgram(camera).start("cancel-open", standardInput: input)
      #expect(try await camera.waitForHang())
      try input.fileHandleForWriting.write(contentsOf: Data("cancel\n".utf8))
      #expect(await program.wait { $0.output.hasPrefix("cancelled|cancelled|") }, "\(program.output)")
      try camera.goOn()
      #expect(await program.finish().lines.last == CameraProgram.nothingLeft)
      #expect(!camera.isInUse)
    }

    @Test("closing the capture ends the wait of a task; later ones end at once")
    func closing() async throws {
      let camera = try VirtualCamera(showing: [CameraPictures.plain(1)], rate: 1, fault: "VIDIOC_DQBUF:\(EAGAIN)")
      let lines = try await CameraProgram(camera).run("close")
      #expect(Array(lines.dropFirst()) == ["cancelled", "cancelled", "closed", CameraProgram.nothingLeft])
    }

    @Test("releasing the capture closes the camera")
    func release() async throws {
      let camera = try VirtualCamera(showing: [CameraPictures.plain(1)])
      #expect(try await CameraProgram(camera).run("release", "2").suffix(2) == ["closed", CameraProgram.nothingLeft])
    }

    @Test("several tasks wait for the same picture; a closed camera opens again at once")
    func several() async throws {
      let camera = try VirtualCamera(showing: [CameraPictures.plain(1)], rate: 100)
      let lines = try await CameraProgram(camera).run("many", "5")
      #expect(
        Array(lines.dropFirst()) == Array(repeating: "320x240", count: 5) + ["closed", CameraProgram.nothingLeft])
      #expect(try await CameraProgram(camera).run("again", "10") == ["closed", CameraProgram.nothingLeft])
    }

    @Test("a second program meets a camera in use, and has it when the first one has ended")
    func inUse() async throws {
      let camera = try VirtualCamera(showing: [CameraPictures.plain(1)])
      let first = try CameraProgram(camera).start("read", ["1000"])
      #expect(await first.wait(within: 60) { $0.output.split(separator: "\n").count > 2 })
      for mode in ["read", "probe"] {
        let lines = try await CameraProgram(camera).run(mode)
        #expect(lines.first?.hasPrefix("inUse|") == true && lines.last == CameraProgram.nothingLeft, "\(lines)")
      }
      first.send(signal: SIGKILL)
      _ = await first.finish()
      #expect(try await CameraProgram(camera).run("probe") == ["closed", CameraProgram.nothingLeft])
    }

    @Test("a camera that is unplugged in the middle, and again when it is plugged in")
    func unplugged() async throws {
      // Slow, so that the program waits in `poll`.
      let camera = try VirtualCamera(showing: [CameraPictures.plain(1)], rate: 2)
      let program = try CameraProgram(camera).start("read", ["1000"])
      #expect(await program.wait(within: 60) { $0.output.split(separator: "\n").count > 2 })
      try camera.unplug()
      let lines = await program.finish(within: 60).lines
      #expect(lines.dropLast().last?.hasPrefix("disconnected|") == true && lines.last == CameraProgram.nothingLeft)
      #expect(try await CameraProgram(camera).run("read").first?.hasPrefix("missing|") == true)
      try camera.plugIn()
      #expect(try await CameraProgram(camera).run("read").suffix(2) == ["closed", CameraProgram.nothingLeft])
    }

    @Test("another device that has the node by now is not used")
    func stale() async throws {
      let camera = try VirtualCamera(showing: [CameraPictures.plain(1)])
      let lines = try await CameraProgram(camera).run("stale")
      #expect(lines.first?.hasPrefix("disconnected|") == true && lines.last == CameraProgram.nothingLeft, "\(lines)")
    }

    @Test("lists the cameras without udev, also those that the user may not open")
    func list() async throws {
      let camera = try VirtualCamera(showing: [CameraPictures.plain(1)], node: "/dev/video63")
      #expect(try await CameraProgram(camera).list() == ["/dev/video63 virtual Virtual camera"])
      let closed = try VirtualCamera(showing: [CameraPictures.plain(1)], fault: "open:\(EACCES)", node: "/dev/video63")
      #expect(try await CameraProgram(closed).list() == ["/dev/video63  "])
    }

    @Test("other files are not opened")
    func otherFiles() throws {
      let folder = try TemporaryFolder()
      #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
      for path in ["/dev/null", "/dev/tty", folder.url.path, folder.file("pipe")] {
        #expect(throws: CameraError.notACamera(path: path)) { _ = try CameraDevice(path: path) }
      }
      #expect(throws: CameraError.missing(path: "/dev/video99")) { _ = try CameraDevice(path: "/dev/video99") }
    }

    @Test("the errors name the path without control characters, and quote it for the shell")
    func words() {
      let failure = CameraError.inUse(path: "/dev/it's\u{1B}[31m").failure
      #expect(failure.cause == "Another program uses the camera /dev/it's [31m.")
      #expect(failure.remedy == "Close that program; `fuser -v '/dev/it'\\''s [31m'` names it.")
      #expect(
        CameraError.cancelled.failure.kind == .cancelled && CameraError.none.failure.remedy == "Connect a camera.")
      #expect(
        CameraError.noReadableFormat(path: "/dev/video0", offered: ["H264", "RGB3"]).failure.cause
          == "The camera /dev/video0 offers no format that Tessera reads (it offers H264, RGB3).")
    }
  }
}
