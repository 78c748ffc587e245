import Foundation
import TestSupport
import Testing

@testable import TesseraDoctor

@Suite("Property lists of reader drivers")
struct DriverPropertiesTests {
  private static let small = """
    <?xml version="1.0"?><plist version="1.0"><dict>
    <key>ifdVendorID</key><array><string>0x08E6</string><!-- <string>0x1111</string> --><string> 0x072f </string></array>
    <key>ifdProductID</key><array><string>0x3437</string><string>0x2200</string></array>
    <key>ifdFriendlyName</key><array><string>Gemalto PC Twin Reader</string><string>ACS ACR122U</string></array>
    </dict></plist>
    """

  @Test("reads parallel lists and ignores comments")
  func lists() {
    let properties = DriverProperties(Self.small.utf8)
    #expect(properties.readerName(USBIdentity(0x08E6, 0x3437)) == "Gemalto PC Twin Reader")
    #expect(properties.readerName(USBIdentity(0x072F, 0x2200)) == "ACS ACR122U")
    #expect(properties.readerName(USBIdentity(0x08E6, 0x2200)) == nil)
    #expect(properties.readerName(USBIdentity(0x1111, 0x2200)) == nil)
  }

  @Test("reads malformed files to their end")
  func hostile() {
    let file = Array(Self.small.utf8)
    for end in file.indices { _ = DriverProperties(file[..<end]).readerName(USBIdentity(0x072F, 0x2200)) }
    for text in [
      "", "<", ">", "<>", "<key>", "<key></key><string>", "<!--", "<!-- -->-->", "<string>0x1</string>",
      "<key>ifdVendorID</key>" + String(repeating: "<array>", count: 100_000),
      "<key>ifdVendorID</key><string>0x99999999999999999999</string><key>ifdProductID</key><string>zz</string>",
    ] {
      #expect(DriverProperties(text.utf8).readerName(USBIdentity(1, 1)) == nil)
    }
    // Fewer names than readers.
    let nameless = Self.small.replacing("<string>ACS ACR122U</string>", with: "")
    #expect(DriverProperties(nameless.utf8).readerName(USBIdentity(0x072F, 0x2200)) == "")
    // Invalid UTF-8.
    #expect(DriverProperties([0xFF, 0xFE] + file).readerName(USBIdentity(0x072F, 0x2200)) == "ACS ACR122U")
  }

  @Test(
    "reads the whole list of libccid",
    .enabled(if: FileManager.default.fileExists(atPath: "/etc/libccid_Info.plist"), "libccid is not installed"))
  func libccid() throws {
    let drivers = DriverProperties.installed()
    #expect(drivers.first?.bundle == "ifd-ccid.bundle")
    let ccid = try #require(drivers.first?.properties)
    #expect(ccid.readerName(USBIdentity(0x072F, 0x2200))?.hasPrefix("ACS ACR122U") == true)
    // The last entry of the list.
    #expect(ccid.readerName(USBIdentity(0x4433, 0x0000)) == nil)
  }

  @Test("parses USB IDs in the notations of sysfs and of drivers")
  func identities() {
    #expect(USBIdentity(vendor: "072f", product: "2200") == USBIdentity(0x072F, 0x2200))
    #expect(USBIdentity(vendor: "0x072F", product: "0X90CC") == USBIdentity(0x072F, 0x90CC))
    #expect(USBIdentity(vendor: "072f2", product: "2200") == nil)
    #expect(USBIdentity(vendor: "", product: "-1") == nil)
    #expect(USBIdentity(0x0004, 0x00A0).description == "0004:00a0")
  }
}
