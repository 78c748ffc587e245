import Foundation
import TesseraCamera
import TesseraCore
import TesseraPictures
import TesseraThreads

/// A program that uses a camera, for tests that load a virtual camera into it or run it as another user.
///
/// `CameraProbe list` prints the cameras. `CameraProbe MODE PATH [COUNT [PAUSE [PATIENCE]]]` opens a camera and waits
/// PATIENCE seconds for each picture, an hour by default; the last two lines are the outcome (`closed`, or the name of
/// the error, its kind, cause and remedy) and what the capture has left behind in the process. The modes:
///
/// - `read`: prints the format, then a line for each of COUNT pictures: its size, its first pixel and a checksum. It
///   pauses for PAUSE milliseconds after each.
/// - `slow`: as `read`, but it waits for a line of standard input before each picture except the first.
/// - `cancel`: cancels a task that waits for a picture, and reads a picture.
/// - `cancel-open`: cancels a task that opens the camera, after a line of standard input.
/// - `close`: closes the capture while a task waits, and reads again.
/// - `release`: reads COUNT pictures and releases the capture without closing it.
/// - `many`: COUNT tasks wait for a picture at the same time.
/// - `again`: opens the camera COUNT times, one after the other.
/// - `stale`: opens a device that has another name than the one with this node.
/// - `probe`: whether the camera can be used.
@main
struct CameraProbe {
  static func main() async {
    // libdispatch's threads open descriptors that stay, at any time.
    TaskExecutorThreads.install()
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments == ["list"] {
      for camera in CameraDevice.all() { line("\(camera.path) \(camera.driver) \(camera.card)") }
      return
    }
    guard arguments.count >= 2 else { return line("usage: CameraProbe MODE PATH [COUNT [PAUSE [PATIENCE]]]") }
    let given = arguments.dropFirst(2).map { Int($0) ?? 0 }
    let numbers = given + [1, 0, 3_600].dropFirst(given.count)
    let before = Leftovers()
    do throws(CameraError) {
      try await run(arguments[0], arguments[1], numbers[0], pause: numbers[1], patience: .seconds(numbers[2]))
      line("closed")
    } catch {
      let name = Mirror(reflecting: error).children.first?.label ?? "cancelled"
      line("\(name)|\(error.failure.kind)|\(error.failure.cause)|\(error.failure.remedy ?? "")")
    }
    // The thread ends a moment after it has closed the camera, or after the call of the kernel that hangs.
    for _ in 0..<6_000 {
      if Leftovers().beyond(before) == Leftovers.nothing { break }
      usleep(10_000)
    }
    line(Leftovers().beyond(before))
  }

  private static func run(
    _ mode: String, _ path: String, _ count: Int, pause: Int, patience: Duration
  ) async throws(CameraError) {
    let device = try CameraDevice(path: path)
    switch mode {
    case "probe": return try device.probe()
    case "stale":
      _ = try await CameraCapture.open(
        CameraDevice(path: device.path, card: "Another camera", bus: device.bus, driver: device.driver))
      return
    case "again":
      for _ in 0..<count {
        let capture = try await CameraCapture.open(device)
        _ = try await capture.nextFrame()
        await capture.close()
      }
      return
    case "cancel-open":
      let opening = Task { () async -> CameraError? in
        do throws(CameraError) {
          _ = try await CameraCapture.open(device)
          return nil
        } catch {
          return error
        }
      }
      Thread.detachNewThread {
        _ = readLine()
        opening.cancel()
      }
      if let error = await opening.value { throw error }
      return
    default: break
    }
    let capture = try await CameraCapture.open(device, patience: patience)
    let format = capture.format
    line("\(format.pixelFormat) \(format.width)x\(format.height) \(format.bytesPerLine)")
    switch mode {
    case "cancel", "close":
      let waiting = Task { await outcome(capture) }
      usleep(100_000)
      if mode == "cancel" { waiting.cancel() } else { await capture.close() }
      line(await waiting.value)
      line(await outcome(capture))
    case "many":
      let tasks = (0..<count).map { _ in Task { await outcome(capture) } }
      for task in tasks { line(await task.value) }
    default:
      for number in 0..<count {
        if mode == "slow", number > 0 { _ = readLine() }
        let picture = try await capture.nextFrame()
        line("\(picture.width)x\(picture.height) \(picture.withPixels { $0.first ?? 0 }) \(checksum(picture))")
        if pause > 0 { usleep(UInt32(clamping: pause) &* 1_000) }
      }
    }
    if mode != "release" { await capture.close() }
  }

  private static func outcome(_ capture: CameraCapture) async -> String {
    do throws(CameraError) {
      let picture = try await capture.nextFrame()
      return "\(picture.width)x\(picture.height)"
    } catch {
      return Mirror(reflecting: error).children.first?.label ?? "cancelled"
    }
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
