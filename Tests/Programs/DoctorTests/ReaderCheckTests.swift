import Testing

@testable import TesseraDoctor

@Suite("Readers that a driver of the kernel has claimed")
struct ReaderCheckTests {
  @Test("the kernel's NFC driver is blacklisted once, and unloaded")
  func nfcDriver() {
    let blacklist = RootCommand.write(
      #"printf 'blacklist %s\n' pn533_usb pn533"#, to: "/etc/modprobe.d/tessera-nfc.conf")
    let first = ReaderDiagnosis.release("1-2:1.0", from: "pn533_usb", isBlacklisted: false)
    #expect(first.commands == [blacklist, .run("modprobe -r pn533_usb")])
    #expect(first.cause.contains("NFC driver pn533_usb"))
    let again = ReaderDiagnosis.release("1-2:1.0", from: "pn533_usb", isBlacklisted: true)
    #expect(again.commands == [.run("modprobe -r pn533_usb")])
  }

  @Test("any other driver is left loaded, and the reader is unbound from it")
  func otherDriver() {
    let release = ReaderDiagnosis.release("1-2:1.0", from: "usbhid", isBlacklisted: false)
    #expect(release.commands == [.write("echo 1-2:1.0", to: "/sys/bus/usb/drivers/usbhid/unbind")])
    #expect(release.cause.contains("The kernel driver usbhid"))
  }
}
