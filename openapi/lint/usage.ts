// Compiled against the generated types: known events narrow by `type`, unknown ones stay readable.
import type { components, paths } from "./checkfu"

type KnownEvent = components["schemas"]["KnownEvent"]
type Event = components["schemas"]["Event"]
type Posted = paths["/v1/sessions/{session_id}/events"]["post"]["requestBody"]["content"]["application/json"]

export const stopReason = (event: KnownEvent): string | undefined =>
  event.type === "session.status_idle" ? event.payload.stop_reason : undefined

export const cursor = (event: Event): number => event.seq

export const allow: Posted = {
  type: "user.tool_confirmation",
  payload: {
    tool_use_id: "toolu_123",
    result: "allow",
    authored_by: "prin_0123456789abcdef0123456789abcdef",
    caused_by: { kind: "api" },
  },
}

// @ts-expect-error a decision is `allow` or `deny`
export const perhaps: Posted = { ...allow, payload: { ...allow.payload, result: "perhaps" } }
