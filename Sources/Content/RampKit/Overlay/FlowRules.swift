import TesseraCore
import TesseraWebContent

/// The rules of one page of a flow: it is the only one that its view shows. It has an origin of its own with the other
/// pages.
struct FlowRules: ContentRules {
  /// The address of the page.
  let address: String

  func mayNavigate(to address: String) -> Bool {
    address.prefix { $0 != "#" && $0 != "?" } == self.address
  }

  func mayUseChannels(_ address: String) -> Bool { mayNavigate(to: address) }
  func mayAskForCameraAndMicrophone(_ address: String) -> Bool { false }
}
