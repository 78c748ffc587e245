package import TesseraJSON

extension PageData {
  package var json: JSONObject {
    var members = JSONObject()
    members["cookies"] = cookies.map { .array($0.map { .object($0.json) }) }
    members["localStorage"] = localStorage.map { .array($0.map(\.json)) }
    members["sessionStorage"] = sessionStorage.map { .array($0.map(\.json)) }
    members["html"] = html.map(JSONValue.string)
    members["url"] = url.map(JSONValue.string)
    members["screenshot"] = screenshot.map(JSONValue.string)
    return members
  }
}

extension StorageItem {
  var json: JSONValue { ["name": .string(name), "value": .string(value)] }
}

extension PageCookie {
  package var json: JSONObject {
    var members: JSONObject = ["name": .string(name), "value": .string(value), "domain": .string(domain)]
    members["path"] = path.map(JSONValue.string)
    members["expires"] = expires.map(JSONValue.integer)
    members["secure"] = secure.map(JSONValue.bool)
    members["httpOnly"] = httpOnly.map(JSONValue.bool)
    members["sameSite"] = sameSite.map { .string($0.rawValue) }
    return members
  }
}
