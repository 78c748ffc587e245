import CameraTestSupport
import Foundation
import TesseraPictures
import TestSupport

/// The program `CameraProbe` with a virtual camera.
struct CameraProgram {
  static let nothingLeft = "left: 0 descriptors, 0 threads, 0 mappings"
  private static let program = ProgramRun.built("CameraProbe")

  private let camera: VirtualCamera

  init(_ camera: VirtualCamera) { self.camera = camera }

  /// The lines that the program prints.
  func run(_ mode: String, _ arguments: String...) async throws -> [String] {
    await (try start(mode, arguments)).finish(within: 60).lines
  }

  func start(
    _ mode: String, _ arguments: [String] = [], standardInput: Pipe? = nil
  ) throws -> RunningProgram {
    try RunningProgram(
      Self.program, [mode, camera.node] + arguments, standardInput: standardInput, environment: camera.environment)
  }

  /// The cameras that the program lists.
  func list() async throws -> [String] {
    await (try RunningProgram(Self.program, ["list"], environment: camera.environment)).finish(within: 60).lines
  }
}

extension ProgramRun {
  var lines: [String] { output.split(separator: "\n").map(String.init) }
}

enum CameraPictures {
  /// A picture of one value.
  static func plain(_ value: UInt8, width: Int = 320, height: Int = 240) throws -> GrayPicture {
    try GrayPicture(width: width, height: height) { $0.update(repeating: value) }
  }

  /// A picture with another value in each place.
  static func pattern(width: Int = 321, height: Int = 99) throws -> GrayPicture {
    try GrayPicture(width: width, height: height) { pixels in
      for index in pixels.indices { pixels[index] = UInt8(truncatingIfNeeded: index &* 7 &+ index / width &* 3) }
    }
  }

  /// FNV-1a of the pixels, as `CameraProbe` prints it.
  static func checksum(_ picture: GrayPicture) -> UInt64 {
    picture.withPixels { pixels in pixels.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 } }
  }
}
