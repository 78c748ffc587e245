import Foundation
import LabDevices
import TesseraUdev
import TesseraVirtualChip
import TestSupport
import Testing

/// A PN533 on the real USB below the real libusb and libnfc, without pcscd.
@Suite("A USB reader below libnfc", .serialized, .enabled(if: VirtualMachine.isInside))
struct LibNFCReaderTests {
  private static let withoutService = ["PCSCLITE_CSOCK_NAME": "/proc/nonexistent/pcscd.comm"]
  private static let read = ["passport", "read"] + CCIDReaderTests.key

  @Test("reports a reader plugged in, reads a document, reports the reader unplugged during a read, and uses it again")
  func reading() async throws {
    let reader = PN533Reader(.passport(try Chip(profile: .bac, files: SpecimenDocument().files)))
    let events = try Udev.events(subsystems: ["usb"])
    let port = try USBPort(reader)
    for await event in events where event.change == .add && event.device.attribute("idVendor") == "04cc" { break }
    let watch = try RunningProgram(
      ProgramRun.tessera, ["readers", "--watch", "--json"], environment: Self.withoutService)
    #expect(await watch.wait { $0.output.contains("readerAdded") || !$0.isRunning }, "\(watch.output)")
    #expect(watch.output.contains("pn53x_usb:"), "\(watch.output)\(watch.errors)")

    let read = try await ProgramRun.tessera(Self.read + ["--json"], environment: Self.withoutService)
    #expect(read.status == 0, "\(read.errors)")
    #expect(read.output.contains(#""exchanges" : 87"#) && read.output.contains("pn53x_usb"))

    // Not on the port's thread, because the kernel cancels its pending requests there.
    reader.field.after(exchanges: 40) { Thread.detachNewThread { port.unplug() } }
    let broken = try await ProgramRun.tessera(Self.read, environment: Self.withoutService)
    print("Unplugged below libnfc:", broken.status, broken.errors)
    #expect(broken.status == 6 && broken.errors.contains("was unplugged"), "\(broken.errors)")
    #expect(await watch.wait { $0.output.contains("readerRemoved") }, "\(watch.output)")

    let again = try USBPort(PN533Reader(.passport(try Chip(profile: .bac, files: SpecimenDocument().files))))
    #expect(await watch.wait { $0.output.ranges(of: "readerAdded").count == 2 }, "\(watch.output)")
    #expect(try await ProgramRun.tessera(Self.read, environment: Self.withoutService).status == 0)
    again.unplug()
    watch.send(signal: SIGINT)
    print("Watched:", await watch.finish().output)
  }
}
