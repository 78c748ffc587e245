import TesseraCore
import TesseraWebContent

/// The pages of one showing of a flow. They have an origin of their own and go nowhere else.
struct FlowRules: ContentRules {
  let content: BundledContent

  func mayNavigate(to address: String) -> Bool { BundledContent.origin(of: address) == content.origin }
  func mayUseChannels(_ address: String) -> Bool { mayNavigate(to: address) }
  func mayAskForCameraAndMicrophone(_ address: String) -> Bool { false }
}
