import Foundation
import TesseraBridge
import TesseraKiosk
import TesseraLinuxProviders
import TestSupport
import Testing

@testable import KioskGuests

@Suite("The clock of a kiosk")
struct ClockTests {
  let place: TemporaryFolder

  init() throws { place = try TemporaryFolder() }

  /// A certificate that was made for this test, and when it begins. Its private key does not exist any more.
  static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBojCCAUmgAwIBAgIUJmiQCiFW1PfxfjIIgQ9K10+yzKIwCgYIKoZIzj0EAwIw
    JzELMAkGA1UEBhMCVVQxGDAWBgNVBAMMD0RvY3VtZW50IHNpZ25lcjAeFw0yNjEx
    MzAxNzQwMDNaFw0zNjExMjcxNzQwMDNaMCcxCzAJBgNVBAYTAlVUMRgwFgYDVQQD
    DA9Eb2N1bWVudCBzaWduZXIwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATMR4kk
    lvMImoEtXcpF+sR2K67hVeuks1PFKPbk/C+je2gitVQYUqGAzqDwxTNbn0fRDD1C
    2kB8s08TF8LGTJBWo1MwUTAdBgNVHQ4EFgQULdNp6FyT/5gD5VOc5VasK6OMtJUw
    HwYDVR0jBBgwFoAULdNp6FyT/5gD5VOc5VasK6OMtJUwDwYDVR0TAQH/BAUwAwEB
    /zAKBggqhkjOPQQDAgNHADBEAiByE0Hn28+6V5tbjR2w8+Wo6SOqTBGJE8hSHERt
    oHayzwIgBNi87DChBmWpotxvuP+bDS6PoZW7Wpv7N6xjKDNjIws=
    -----END CERTIFICATE-----
    """
  static let begin = Date(timeIntervalSince1970: 1_796_060_403)

  private func scan(_ outcome: String) -> NfcScanResult {
    var scan = NfcScanResult.guest(1)
    scan.securityObject.certificate.pem = Self.certificate
    scan.verification?.outcome = outcome
    return scan
  }

  @Test("is wrong before the begin of the certificate of a genuine document, also after a restart")
  func wrong() {
    let path = place.file("state/clock")
    let watch = ClockWatch(path: path)
    let early = Self.begin - 1
    #expect(watch.isRight(at: early))
    // Anybody can make a certificate with any date.
    watch.learn(from: scan("notEstablished"))
    #expect(watch.isRight(at: early))
    watch.learn(from: scan("genuine"))
    #expect(!watch.isRight(at: early) && watch.isRight(at: Self.begin))
    #expect(!ClockWatch(path: path).isRight(at: early))
    #expect(ClockWatch(path: path).isRight(at: Self.begin))
  }

  @Test("is also wrong if it is the reason why a document is not genuine, and by the time when it was signed")
  func validity() throws {
    let watch = ClockWatch(path: place.file("clock"))
    var scan = scan("notEstablished")
    scan.verification?.checks = [
      "passive.signature": "passed", "passive.hashes": "passed", "passive.chain": "passed",
      "passive.validity": "failed",
    ]
    // A time outside the validity of the certificate is not credible.
    scan.securityObject.signedAttributes = Self.attributes("491231235959Z")
    watch.learn(from: scan)
    #expect(!watch.isRight(at: Self.begin - 1) && watch.isRight(at: Self.begin))
    // Signers state their local time as UTC: a day less is certain.
    scan.securityObject.signedAttributes = Self.attributes("261203000000Z")
    watch.learn(from: scan)
    let signed = Date(timeIntervalSince1970: 1_796_169_600)
    #expect(!watch.isRight(at: signed - 1) && watch.isRight(at: signed))
    scan.verification?.checks["passive.chain"] = "failed"
    scan.securityObject.signedAttributes = Self.attributes("270101000000Z")
    watch.learn(from: scan)
    #expect(watch.isRight(at: signed))
  }

  @Test(
    "shares its file: nobody replaces a later time that another process wrote, and no sentence has the day of a document"
  )
  func shared() throws {
    let path = place.file("clock")
    let (kiosk, service) = (ClockWatch(path: path), ClockWatch(path: path))
    var later = scan("genuine")
    later.securityObject.signedAttributes = Self.attributes("261203000000Z")
    service.learn(from: later)
    let signed = Date(timeIntervalSince1970: 1_796_169_600)
    kiosk.learn(from: scan("genuine"))
    #expect(!kiosk.isRight(at: signed - 1) && !ClockWatch(path: path).isRight(at: signed - 1))
    let cause = try #require(kiosk.news(at: signed - 1)?.cause)
    #expect(
      cause.contains("not before 2026") && !cause.contains("2026-12-03") && !cause.contains(signed.ISO8601Format()))
  }

  /// A set of the signed attributes `contentType` and `signingTime`.
  private static func attributes(_ time: String) -> [UInt8] {
    let type: [UInt8] = [
      0x30, 0x15, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x03, 0x31, 0x08, 0x06, 0x06, 0x67, 0x81,
      0x08, 0x01, 0x01, 0x01,
    ]
    let signing: [UInt8] = [
      0x30, 0x1C, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x05, 0x31, 0x0F, 0x17, 0x0D,
    ]
    return [0x31, UInt8(type.count + signing.count + 13)] + type + signing + time.utf8
  }

  @Test("is not judged by a file that says nothing")
  func damaged() throws {
    try Data("yesterday".utf8).write(to: URL(fileURLWithPath: place.file("clock")))
    #expect(ClockWatch(path: place.file("clock")).isRight(at: .distantPast))
    #expect(ClockWatch(path: place.url.path).isRight(at: .distantPast))
  }

  @Test("and what is not stored reach the page at once and with each change")
  func status() async throws {
    let status = KioskStatus()
    var events = status.events().makeAsyncIterator()
    #expect(await events.next()?.text.contains(#""waiting":0,"clock":true"#) == true)
    status.waiting = 2
    #expect(await events.next()?.text.contains(#""waiting":2,"clock":true"#) == true)
    status.isClockRight = false
    #expect(await events.next()?.text.contains(#""waiting":2,"clock":false"#) == true)
  }
}
