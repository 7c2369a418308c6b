// Asks a ringonce service for one call, twice, with types that were generated from its document (README.md).
import { readFileSync } from "node:fs";
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

const key = process.env.RINGONCE_API_KEY_FILE;
const client = createClient<paths>({
  baseUrl: process.env.SERVER,
  headers: key === undefined ? {} : { Authorization: `Bearer ${readFileSync(key, "ascii").trim()}` },
});

async function place(body: components["schemas"]["CallRequest"]) {
  const { data, error, response } = await client.POST("/v1/calls", { body, params: { header: { Prefer: "wait=10" } } });
  if (data === undefined) {
    throw new Error(`refused with ${response.status}: ${error?.code}: ${error?.detail} ${error?.fix}`);
  }
  return { status: response.status, placed: data };
}

const request = {
  notificationId: process.argv[2],
  recipientId: "kim",
  destinationPhoneNumber: readFileSync(0, "ascii").trim(),
};
const first = await place(request);
console.log(first.placed.answer, first.status === 200);
const second = await place(request);
console.log(second.placed.answer, "of the same call:", second.placed.duplicateOf === first.placed.callId);
const { data } = await client.GET("/v1/calls/{id}", { params: { path: { id: first.placed.callId ?? "" } } });
console.log("now", data?.call.state);
