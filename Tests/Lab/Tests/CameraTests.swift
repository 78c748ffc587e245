import Foundation
import TesseraUdev
import Testing

@Suite("The lab's camera", .enabled(if: VirtualMachine.isInside))
struct CameraTests {
  @Test("udev detects the camera of vivid")
  func camera() throws {
    let cameras = try Udev.devices(subsystem: "video4linux").filter { $0.attribute("name")?.hasPrefix("vivid") == true }
    let capturing = cameras.filter { $0.properties["ID_V4L_CAPABILITIES"]?.contains("capture") == true }
    #expect(capturing.contains { $0.node?.hasPrefix("/dev/video") == true }, "\(cameras.map(\.properties))")
  }
}
