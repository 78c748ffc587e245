import Foundation
import TesseraCamera
import TesseraCore
import TesseraPictures

/// A program that uses a camera, for tests that load a virtual camera into it or run it as another user.
///
/// `CameraProbe list` prints the cameras. `CameraProbe PATH COUNT [PAUSE]` prints the format, then a line for each of
/// COUNT pictures (its size and a checksum of its pixels), with a pause in milliseconds after each. The last two lines
/// are the outcome, `closed` or the error, and what the capture has left behind.
@main
struct CameraProbe {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "list" {
      for camera in CameraDevice.all() { line("\(camera.path) \(camera.driver) \(camera.card)") }
      return
    }
    guard let path = arguments.first else { return line("usage: CameraProbe PATH COUNT") }
    let numbers = arguments.dropFirst().compactMap { Int($0) }
    // The first task, clock and thread of a process open descriptors that stay.
    try? await Task.sleep(for: .milliseconds(1))
    let before = Leftovers()
    do throws(CameraError) {
      try await capture(path, count: numbers.first ?? 1, pause: numbers.dropFirst().first ?? 0)
      line("closed")
    } catch {
      line("\(Mirror(reflecting: error).children.first?.label ?? "-")|\(error.failure.kind)|\(error.failure.cause)|\(error.failure.remedy ?? "")")
    }
    // The thread ends a moment after it has closed the camera.
    for _ in 0..<100 where Leftovers().beyond(before) != Leftovers.nothing {
      try? await Task.sleep(for: .milliseconds(10))
    }
    line(Leftovers().beyond(before))
  }

  private static func capture(_ path: String, count: Int, pause: Int) async throws(CameraError) {
    let capture = try await CameraCapture.open(try CameraDevice(path: path), patience: .seconds(2))
    let format = capture.format
    line("\(format.pixelFormat) \(format.width)x\(format.height) \(format.bytesPerLine)")
    for _ in 0..<count {
      let picture = try await capture.nextFrame()
      line("\(picture.width)x\(picture.height) \(checksum(picture))")
      if pause > 0 { try? await Task.sleep(for: .milliseconds(pause)) }
    }
    await capture.close()
  }

  /// A line that a waiting test sees at once.
  private static func line(_ text: String) {
    print(text)
    fflush(nil)
  }

  /// FNV-1a.
  private static func checksum(_ picture: GrayPicture) -> UInt64 {
    picture.withPixels { pixels in pixels.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 } }
  }
}

/// What a capture may leave behind in its process.
private struct Leftovers {
  let descriptors = Leftovers.names("/proc/self/fd").count
  let threads = Leftovers.names("/proc/self/task").filter {
    (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8))?.hasPrefix("camera") == true
  }.count
  let mappings =
    (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8))?.split(separator: "\n").filter {
      $0.contains("tessera-virtual-camera") || $0.contains("/dev/video")
    }.count ?? -1

  static let nothing = "left: 0 descriptors, 0 threads, 0 mappings"

  func beyond(_ other: Leftovers) -> String {
    "left: \(descriptors - other.descriptors) descriptors, \(threads) threads, \(mappings) mappings"
  }

  private static func names(_ folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }
}
