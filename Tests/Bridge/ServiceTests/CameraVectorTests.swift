import BridgeVectors
import CameraTestSupport
import Foundation
import TesseraBridge
import TesseraPictures
import TestSupport
import Testing

extension RealPrograms {
  /// The vectors of the camera domain against `tessera serve` with its own provider and a camera below V4L2. One after
  /// another: without optimisation, the program computes for seconds.
  @Suite("Camera vectors with the real provider", .serialized)
  struct CameraVectorTests {
    /// The others are about a missing provider, or about a result that only another provider can give.
    static let vectors = BridgeVectors.cases.filter {
      $0.id.hasPrefix("camera.") && !$0["given"]["unregisterProviders"].isPresent
        && !$0["given"]["camera"]["rawResult"].isPresent
    }

    @Test("the vectors of the domain")
    func complete() {
      #expect(
        Self.vectors.map(\.id) == [
          "camera.methodNotFound", "camera.scanMRZ.td3", "camera.scanMRZ.scanRect", "camera.scanMRZ.progress",
          "camera.scanMrz.alias", "camera.isAvailable", "camera.stopCamera", "camera.scanMRZ.failed",
          "camera.scanMRZ.initFailed", "camera.scanMRZ.permission", "camera.scanMRZ.cancelled",
        ])
    }

    @Test("vector", arguments: vectors)
    func vector(_ vector: Vector) async throws {
      let given = vector["given"]["camera"]
      // The frames of the vectors: nothing, a text, and a page with the zone, but with the right check digits of the date
      // of expiry and of the whole: those of the vectors are wrong (bridge protocol, 5), and a wrong zone is never given.
      let frames =
        given["frames"].isPresent
        ? [try Self.blank, try Self.picture("text.jpg"), try Self.picture("eriksson.jpg")] : []
      let camera = try VirtualCamera(showing: [try Self.blank], fault: Self.fault(given))
      let service = try await ServingProgram([], more: camera.environment)
      let connection = try RawConnection.unix(service.socketPath)
      let request = vector["send"]
      connection.post(try request.json.text)
      // The user holds the next thing in front of the camera when the page says what it sees.
      for (state, next) in zip(["no_text", "text_detected"], frames.dropFirst()) {
        #expect(await connection.wait { $0.events.last?["data"]?["state"]?.stringValue == state })
        try camera.show([next])
      }
      if given["cancelledByStopCamera"].flag {
        #expect(await connection.wait { !$0.events.isEmpty })
        #expect(try await connection.ask("camera.stopCamera")["success"] == true)
      }
      let answer = try #require(await connection.answer(to: request.id))
      let mismatch = Pattern(vector["expect"]["response"]).mismatch(answer)
      if vector.id == "camera.scanMRZ.td3" {
        #expect(mismatch?.hasPrefix("$.data.raw: ") == true, "\(mismatch ?? "")")
        #expect(
          answer["data"]?["raw"]?.stringValue?.hasSuffix("\nL898902C36UTO6908061F0608152<<<<<<<<<<<<<<08") == true)
      } else {
        #expect(mismatch == nil)
      }
      if vector["expect"]["events"].isPresent {
        let expected = vector["expect"]["events"].list
        #expect(connection.events.count == expected.count)
        for (pattern, event) in zip(expected, connection.events) { #expect(Pattern(pattern).mismatch(event) == nil) }
      }
      #expect(try await camera.wait(untilInUse: false))
      #expect(await service.stop().status == 0)
    }

    @Test(
      "a scan is cancelled while a call of the kernel hangs; when the call returns, the camera is free",
      arguments: [
        "stat", "open", "VIDIOC_QUERYCAP", "VIDIOC_ENUM_FMT", "VIDIOC_ENUM_FRAMESIZES", "VIDIOC_S_FMT", "VIDIOC_S_PARM",
        "VIDIOC_REQBUFS", "VIDIOC_QUERYBUF", "mmap", "VIDIOC_QBUF", "VIDIOC_STREAMON", "VIDIOC_DQBUF",
      ])
    func hang(_ call: String) async throws {
      let camera = try VirtualCamera(showing: [try Self.blank], fault: "\(call):0")
      let service = try await ServingProgram([], more: camera.environment)
      let connection = try RawConnection.unix(service.socketPath)
      connection.post(VectorClient.request("camera.scanMRZ", id: "hangs"))
      #expect(try await camera.waitForHang())
      #expect(try await connection.ask("camera.stopCamera")["success"] == true)
      #expect(await connection.answer(to: "hangs")?.errorCode == "MRZ_SCAN_CANCELLED")
      // The service answers meanwhile.
      #expect(try await connection.ask("lifecycle.ready")["success"] == true)
      try camera.goOn()
      let threads = "/proc/\(service.program.processIdentifier)/task"
      func cameraThreads() -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: threads)) ?? [])
          .map { Descendants.text("\(threads)/\($0)/comm") }.filter { $0.hasPrefix("camera") }
      }
      // The thread that lists the cameras may be followed by one that opens the first.
      var looksWithoutThreads = 0
      try await eventually("The end of the camera's threads", every: .milliseconds(20)) {
        looksWithoutThreads = cameraThreads().isEmpty ? looksWithoutThreads + 1 : 0
        return looksWithoutThreads == 10
      }
      #expect(!camera.isInUse)
      // The camera can be used again.
      let earlier = connection.events.count
      connection.post(VectorClient.request("camera.scanMRZ", id: "next"))
      #expect(await connection.wait { $0.events.count > earlier })
      #expect(try await connection.ask("camera.stopCamera")["success"] == true)
      #expect(await connection.answer(to: "next")?.errorCode == "MRZ_SCAN_CANCELLED")
      #expect(await service.stop().status == 0)
    }

    @Test("a program receives the states of a scan for a seal and then the report; a stop frees the camera")
    func seal() async throws {
      let page = try GrayPicture(decoding: Fixtures.file("Passport/BarcodesTests", "made/seal-and-zone.png"))
      let camera = try VirtualCamera(showing: [try Self.blank])
      let service = try await ServingProgram([], more: camera.environment)
      let connection = try RawConnection.unix(service.socketPath)
      connection.post(VectorClient.request("camera.scanSeal", id: "stopped"))
      #expect(await connection.wait { $0.events.last?["data"]?["state"] == "no_barcode" })
      #expect(try await connection.ask("camera.scanMRZ").errorCode == "ALREADY_SCANNING")
      #expect(try await connection.ask("camera.stopCamera")["success"] == true)
      #expect(await connection.answer(to: "stopped")?.errorCode == "SEAL_SCAN_CANCELLED")
      #expect(try await camera.wait(untilInUse: false))
      let earlier = connection.events.count
      connection.post(VectorClient.request("camera.scanSeal", id: "seal"))
      #expect(await connection.wait { $0.events.count > earlier })
      try camera.show([page])
      let answer = try #require(await connection.answer(to: "seal"))
      let report = answer["data"]
      #expect(
        report?["kind"] == "vds" && report?["document"] == "emergency travel document", "\(answer["error"]?.text ?? "")"
      )
      // Nobody imported the certificate of its signer.
      #expect(report?["outcome"] == "notEstablished" && report?["outcomeReason"] == "unknownSigner")
      #expect(report?["symbol"]?["format"] == "DataMatrix" && report?["comparison"] != "differs")
      #expect(connection.events.last?["data"]?["state"] == "seal_detected")
      #expect(try await camera.wait(untilInUse: false))
      #expect(await service.stop().status == 0)
    }

    /// What is wrong with the camera of a vector.
    private static func fault(_ given: Vector) -> String? {
      if given["error"].isPresent { return "VIDIOC_DQBUF:5" }
      if given["initError"].flag { return "VIDIOC_STREAMON:5" }
      return given["permission"].text == "denied" ? "open:13" : nil
    }

    private static var blank: GrayPicture {
      get throws { try GrayPicture(width: 1280, height: 720) { $0.update(repeating: 200) } }
    }

    private static func picture(_ file: String) throws -> GrayPicture {
      try GrayPicture(decoding: Fixtures.file("Passport/MRZRecognitionTests", file))
    }
  }
}

extension RawConnection {
  fileprivate var events: [JSONValue] { messages.filter { $0["type"] == "event" } }
}
