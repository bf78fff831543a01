import type { ObjectSchema } from "../object-schema.ts";
import {
  address,
  choice,
  currency,
  date,
  email,
  longText,
  lookup,
  number,
  phone,
  relatedTo,
  standardObject,
  text,
  url,
} from "./define.ts";

export const businessObjects = (): ObjectSchema[] => [
  standardObject("lead", {
    description: "Someone who may become a customer.",
    icon: "target",
    fields: {
      status: choice(["New", "Working", "Qualified", "Unqualified", "Converted"], { indexed: true }),
      source: choice(["Web", "Phone", "Referral", "Event", "Partner", "Other"]),
      email: email({ indexed: true }),
      phone: phone(),
      company: lookup("company"),
      amount: currency({ description: "What the deal may be worth." }),
    },
  }),
  standardObject("contact", {
    description: "A person at a company.",
    icon: "user",
    fields: {
      first_name: text({ pii: true }),
      last_name: text({ pii: true }),
      email: email({ indexed: true }),
      phone: phone(),
      title: text({ description: "The person's position." }),
      company: lookup("company"),
    },
  }),
  standardObject("company", {
    description: "An organization that one does business with.",
    icon: "building",
    fields: {
      industry: choice([
        "Agriculture",
        "Construction",
        "Education",
        "Finance",
        "Health",
        "Manufacturing",
        "Retail",
        "Technology",
      ]),
      website: url(),
      phone: phone(),
      employees: number({ description: "How many people work there." }),
      annual_revenue: currency(),
      address: address(),
    },
  }),
  standardObject("invoice", {
    description: "An amount that a customer owes.",
    icon: "receipt",
    fields: {
      company: lookup("company"),
      contact: lookup("contact"),
      amount: currency(),
      status: choice(["Draft", "Sent", "Paid", "Overdue", "Void"], { indexed: true }),
      due_date: date({ indexed: true }),
    },
  }),
  standardObject("task", {
    description: "Something to be done.",
    icon: "check",
    relatesToAnyObject: true,
    fields: {
      status: choice(["Open", "In progress", "Done"], { indexed: true }),
      due_date: date({ indexed: true }),
      related_to: relatedTo(),
    },
  }),
  standardObject("note", {
    description: "Something written down about a record.",
    icon: "note",
    relatesToAnyObject: true,
    fields: { body: longText(), related_to: relatedTo() },
  }),
];
