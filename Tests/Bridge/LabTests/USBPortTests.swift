import Foundation
import LabDevices
import TesseraUdev
import TestSupport
import Testing

@Suite("Virtual USB devices and udev events", .serialized, .enabled(if: VirtualMachine.isInside))
struct USBPortTests {
  @Test("reports that a device was plugged in and unplugged, without polling")
  func plugging() async throws {
    let events = try Udev.events(subsystems: ["usb"])
    let port = try USBPort(UnlistedCCIDReader())
    var reported: [String] = []
    for await event in events {
      reported.append("\(event.change) \(event.device.properties["DEVTYPE"] ?? "")")
      guard event.change == .add, event.device.properties["DEVTYPE"] == "usb_interface" else { continue }
      #expect(event.device.attribute("bInterfaceClass") == "0b")
      #expect(
        event.device.parent?.attribute("idVendor") == "1209"
          && event.device.parent?.attribute("product") == "Unlisted Reader")
      #expect(event.device.driver == nil)
      break
    }
    let present = try Udev.devices(subsystem: "usb").filter { $0.attribute("idVendor") == "1209" }
    #expect(present.count == 1 && present.first?.node?.hasPrefix("/dev/bus/usb/") == true)
    let later = try Udev.events(subsystems: ["usb"])
    port.unplug()
    for await event in later where event.change == .remove && event.device.properties["DEVTYPE"] == "usb_device" {
      break
    }
    #expect(try Udev.devices(subsystem: "usb").allSatisfy { $0.attribute("idVendor") != "1209" })
    print("Reported:", reported)
  }
}
