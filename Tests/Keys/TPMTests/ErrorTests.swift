import Glibc
import TesseraCore
import Testing

@testable import TesseraTPM

@Suite("Errors of a TPM")
struct ErrorTests {
  @Test("one that does not respond: its library is to be installed only if it is missing")
  func silent() {
    func remedy(_ interface: String) -> String? {
      TPMError.unavailable(.noResponse(interface: interface)).failure.remedy
    }
    let installs = "Install the library of this interface: apt-get install libtss2-tcti-"
    #expect(remedy("nothing:port=1") == installs + "nothing0" && remedy("nothing") == installs + "nothing0")
    let library = dlopen("libtss2-tcti-swtpm.so.0", RTLD_LAZY)
    #expect(remedy("swtpm:port=1") == (library == nil ? installs + "swtpm0" : "Check that it is running."))
    // No name: nothing is loaded.
    for interface in ["", ":x", "/tmp/x.so:y", "a b"] {
      #expect(remedy(interface) == "Check the interface, and that the TPM is running.", "\(interface)")
    }
  }
}
