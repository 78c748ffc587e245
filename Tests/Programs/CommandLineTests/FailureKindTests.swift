import Tessera
import Testing

@testable import TesseraCLI

@Suite("Exit statuses and bridge codes of failures")
struct FailureKindTests {
  @Test("a refused peer and an unlisted device are not a wrong access key and a missing reader")
  func distinguished() {
    let peer = FailureKind.peerRejected
    #expect((peer.exitStatus, peer.bridgeCode) == (3, "NOT_ALLOWED"))
    let devices = HapticError.devicesUnavailable.failure.kind
    #expect(devices == .deviceEnumerationFailed)
    #expect((devices.exitStatus, devices.bridgeCode) == (3, "NOT_CONFIGURED"))
    let key = FailureKind.accessDenied
    #expect((key.exitStatus, key.bridgeCode) == (4, "AUTH_FAILED"))
  }
}
