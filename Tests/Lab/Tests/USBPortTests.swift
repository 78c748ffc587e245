import Foundation
import LabDevices
import TestSupport
import Testing
import Udev

@Suite("Virtual USB devices, and what udev tells of them", .serialized, .enabled(if: VirtualMachine.isInside))
struct USBPortTests {
  @Test("a device is plugged in and out, and told each time, without polling")
  func plugging() async throws {
    let events = try Udev.events(subsystems: ["usb"])
    let port = try USBPort(UnlistedCCIDReader())
    var told: [String] = []
    for await event in events {
      told.append("\(event.change) \(event.device.properties["DEVTYPE"] ?? "")")
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
    print("Told:", told)
  }
}
