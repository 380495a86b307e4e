// What the stock TUS client does with an upload: the steps of a test, its outcome as JSON.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { setTimeout } from "node:timers/promises";

const [packages, endpoint, authorization, plan] = process.argv.slice(2);
const tus = createRequire(`${packages}/`)("tus-js-client");
const { size, chunk, breaks, name, upsert, deferred, parallel, abort, signature, delays, until } =
  JSON.parse(plan);
const data = Buffer.alloc(size, (index) => index);
for (let index = 0; index < size; index += 1) data[index] = (index * 31) % 251;
const seen = { progress: 0, retries: 0, requests: [], url: null };

function uploadOf(options) {
  return new Promise((resolve) => {
    const upload = new tus.Upload(data, {
      endpoint,
      chunkSize: chunk,
      retryDelays: delays ?? [0, 50, 100],
      uploadDataDuringCreation: true,
      headers: {
        ...(signature ? { "x-signature": signature } : { authorization: `Bearer ${authorization}` }),
        ...(upsert ? { "x-upsert": "true" } : {}),
      },
      metadata: { bucketName: "b", objectName: name, contentType: "text/x-tus", cacheControl: "60" },
      parallelUploads: parallel ?? 1,
      uploadLengthDeferred: deferred ?? false,
      ...(deferred ? { uploadDataDuringCreation: false } : {}),
      onBeforeRequest: async (request) => {
        // The last part is sent once there is a file
        const isLast = seen.requests.length >= size / chunk - 1;
        while (until && isLast && !existsSync(until)) await setTimeout(10);
        seen.requests.push(request.getMethod());
        // A part whose answer the client loses: it asks how far it is, and goes on from there
        if (breaks && request.getMethod() === "PATCH" && seen.retries < breaks) {
          seen.retries += 1;
          throw new Error("cut");
        }
      },
      onProgress: (sent) => (seen.progress = Math.max(seen.progress, sent)),
      onError: (error) =>
        resolve({ error: error.originalResponse?.getStatus() ?? String(error), ...seen }),
      onSuccess: () => resolve({ error: null, ...seen, url: upload.url }),
      onChunkComplete: async () => {
        if (abort && !seen.aborted) {
          seen.aborted = true;
          seen.url = upload.url;
          await upload.abort(true);
          resolve({ error: null, ...seen });
        }
      },
      ...options,
    });
    upload.start();
  });
}

console.log(JSON.stringify(await uploadOf({})));
